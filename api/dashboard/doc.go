// Package dashboard serves the pages a person looks at: Host, Model and
// Activity, rendered on the server, live over the event stream.
//
// Law: the pages know nothing the API does not say, and change nothing except
// through the same methods. A view is a plain struct made by a pure function;
// a template only writes it down. Reading and every form work without script,
// and what is not known is shown as unknown, with the reason.
package dashboard
