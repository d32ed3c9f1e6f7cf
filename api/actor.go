package api

import (
	"context"
	"strings"
)

// ActorLoopback is who acts over TCP until people sign in.
const ActorLoopback = "api:loopback"

type actorKey struct{}

// WithActor says who acts in this context: "cli:<uid>", "api:<account>".
func WithActor(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// ActorFrom is who acts in this context; without a name it is ActorLoopback.
func ActorFrom(ctx context.Context) string {
	if actor, ok := ctx.Value(actorKey{}).(string); ok && actor != "" {
		return actor
	}
	return ActorLoopback
}

// local reports whether the request did not come over the network: then its
// Host header names nothing that could be abused.
func local(ctx context.Context) bool { return strings.HasPrefix(ActorFrom(ctx), "cli:") }
