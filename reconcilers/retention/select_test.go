package retention

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"corehost/desired"
	"corehost/observers"
)

// at makes a good backup of a time in RFC 3339.
func at(t *testing.T, stamp string) observers.BackupFile {
	t.Helper()
	when, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		t.Fatal(err)
	}
	return observers.BackupFile{Name: "core-" + when.UTC().Format("20060102T150405Z") + ".tar.gz", Stamp: when.UTC(), Finished: true, Verified: true}
}

func TestSelect(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	unfinished := func(f observers.BackupFile) observers.BackupFile { f.Finished, f.Verified = false, false; return f }
	unverified := func(f observers.BackupFile) observers.BackupFile { f.Verified = false; return f }
	tests := []struct {
		name   string
		policy desired.Retention
		zone   *time.Location
		files  []observers.BackupFile
		want   []Verdict // names without prefix and suffix
	}{
		{"keep the last two", desired.Retention{KeepLast: 2}, time.UTC,
			[]observers.BackupFile{at(t, "2026-11-18T03:00:00Z"), at(t, "2026-11-20T03:00:00Z"), at(t, "2026-11-19T03:00:00Z")},
			[]Verdict{{"20261120T030000Z", true, "last 1 of 2"}, {"20261119T030000Z", true, "last 2 of 2"}, {"20261118T030000Z", false, "no rule keeps it"}}},
		{"only good ones count, the others stay", desired.Retention{KeepLast: 1}, time.UTC,
			[]observers.BackupFile{unfinished(at(t, "2026-11-20T03:00:00Z")), unverified(at(t, "2026-11-19T03:00:00Z")), at(t, "2026-11-18T03:00:00Z"), at(t, "2026-11-17T03:00:00Z"), unfinished(at(t, "2026-11-01T03:00:00Z"))},
			[]Verdict{{"20261120T030000Z", true, reasonUnfinished}, {"20261119T030000Z", true, reasonUnverified}, {"20261118T030000Z", true, "last 1 of 1"}, {"20261117T030000Z", false, reasonRemove}, {"20261101T030000Z", true, reasonUnfinished}}},
		{"one from the future neither counts nor goes", desired.Retention{KeepLast: 1}, time.UTC,
			[]observers.BackupFile{at(t, "2027-01-01T00:00:00Z"), at(t, "2026-11-20T03:00:00Z"), at(t, "2026-11-19T03:00:00Z")},
			[]Verdict{{"20270101T000000Z", true, reasonFuture}, {"20261120T030000Z", true, "last 1 of 1"}, {"20261119T030000Z", false, reasonRemove}}},
		{"every rule off removes nothing", desired.Retention{KeepLast: -1}, time.UTC,
			[]observers.BackupFile{at(t, "2026-11-20T03:00:00Z"), at(t, "2026-11-19T03:00:00Z")},
			[]Verdict{{"20261120T030000Z", true, reasonNoRule}, {"20261119T030000Z", true, reasonNoRule}}},
		{"days that have one, newest of each", desired.Retention{KeepDaily: 2}, time.UTC,
			[]observers.BackupFile{at(t, "2026-11-20T23:00:00Z"), at(t, "2026-11-20T03:00:00Z"), at(t, "2026-11-10T23:59:59Z"), at(t, "2026-11-10T00:00:00Z"), at(t, "2026-11-09T03:00:00Z")},
			[]Verdict{{"20261120T230000Z", true, "day 2026-11-20"}, {"20261120T030000Z", false, reasonRemove}, {"20261110T235959Z", true, "day 2026-11-10"}, {"20261110T000000Z", false, reasonRemove}, {"20261109T030000Z", false, reasonRemove}}},
		{"days are local days", desired.Retention{KeepDaily: 5}, tokyo,
			[]observers.BackupFile{at(t, "2026-11-20T16:00:00Z"), at(t, "2026-11-20T14:00:00Z"), at(t, "2026-11-19T15:00:00Z")},
			[]Verdict{{"20261120T160000Z", true, "day 2026-11-21"}, {"20261120T140000Z", true, "day 2026-11-20"}, {"20261119T150000Z", false, reasonRemove}}},
		{"ISO weeks over the turn of a year", desired.Retention{KeepWeekly: 2}, time.UTC,
			[]observers.BackupFile{at(t, "2026-01-04T03:00:00Z"), at(t, "2025-12-29T03:00:00Z"), at(t, "2025-12-28T03:00:00Z")},
			[]Verdict{{"20260104T030000Z", true, "week 2026-W01"}, {"20251229T030000Z", false, reasonRemove}, {"20251228T030000Z", true, "week 2025-W52"}}},
		{"months", desired.Retention{KeepMonthly: 1}, time.UTC,
			[]observers.BackupFile{at(t, "2026-11-01T03:00:00Z"), at(t, "2026-10-31T03:00:00Z")},
			[]Verdict{{"20261101T030000Z", true, "month 2026-11"}, {"20261031T030000Z", false, reasonRemove}}},
		{"rules add up", desired.Retention{KeepLast: 1, KeepDaily: 2, KeepMonthly: 2}, time.UTC,
			[]observers.BackupFile{at(t, "2026-11-20T03:00:00Z"), at(t, "2026-11-19T03:00:00Z"), at(t, "2026-11-18T03:00:00Z"), at(t, "2026-10-01T03:00:00Z")},
			[]Verdict{{"20261120T030000Z", true, "last 1 of 1, day 2026-11-20, month 2026-11"}, {"20261119T030000Z", true, "day 2026-11-19"}, {"20261118T030000Z", false, reasonRemove}, {"20261001T030000Z", true, "month 2026-10"}}},
		{"none", desired.Retention{KeepLast: 14}, time.UTC, nil, []Verdict{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).In(tt.zone)
			for i := range tt.want {
				tt.want[i].Name = "core-" + tt.want[i].Name + ".tar.gz"
			}
			for range 10 {
				if diff := cmp.Diff(tt.want, Select(tt.files, tt.policy, now)); diff != "" {
					t.Fatalf("(-want +got):\n%s", diff)
				}
				rand.Shuffle(len(tt.files), func(i, j int) { tt.files[i], tt.files[j] = tt.files[j], tt.files[i] })
			}
		})
	}
}

// Whatever the policy and the folder, the newest good backup stays and what is
// not good is not touched.
func FuzzSelect(f *testing.F) {
	f.Add(uint64(1), 1, 0, 0, 0)
	f.Add(uint64(2), 0, 0, 0, 0)
	f.Add(uint64(3), 3, 2, 1, 1)
	f.Fuzz(func(t *testing.T, seed uint64, last, daily, weekly, monthly int) {
		random := rand.New(rand.NewPCG(seed, 0))
		now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		files := make([]observers.BackupFile, random.IntN(40))
		newest, good := -1, map[string]bool{}
		for i := range files {
			files[i] = at(t, now.Add(-time.Duration(random.IntN(90*24))*time.Hour-time.Duration(i)*time.Second).Format(time.RFC3339))
			files[i].Finished = random.IntN(4) > 0
			files[i].Verified = files[i].Finished && random.IntN(4) > 0
			good[files[i].Name] = files[i].Verified
			if files[i].Verified && (newest < 0 || files[i].Stamp.After(files[newest].Stamp)) {
				newest = i
			}
		}
		for _, v := range Select(files, desired.Retention{KeepLast: last, KeepDaily: daily, KeepWeekly: weekly, KeepMonthly: monthly}, now) {
			if v.Reason == "" {
				t.Errorf("%s has no reason", v.Name)
			}
			if !v.Keep && (!good[v.Name] || v.Name == files[newest].Name) {
				t.Errorf("%s would go", v.Name)
			}
		}
	})
}
