package desired_test

import (
	"testing"

	"corehost/desired"
)

func TestSchedules(t *testing.T) {
	good := []string{
		"0 3 * * *", "*/15 * * * *", "0 0 1 1 0", "59 23 31 12 7", "0 3 * * mon-fri", "0 3 * JAN,dec sun", "0-30/5,45 1,2,3 * * *",
		"0 0 29 2 *", "0 0 30 2 mon", "0\t3  *   * *",
	}
	for _, schedule := range good {
		decode(t, head+"spec: {backup: {schedule: \""+escape(schedule)+"\"}}\n")
	}
	bad := []string{
		"", " ", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 0 *", "* * * 13 *", "* * * * 8",
		"*/0 * * * *", "*/61 * * * *", "5/2 * * * *", "5-1 * * * *", "a * * * *", "-1 * * * *", "1- * * * *", ",1 * * * *", "1,, * * * *",
		"+1 * * * *", "* * * * mo", "* * * * fri-mon", "0 0 31 2 *", "0 0 30 feb *", "0 0 31 4,6,9,11 *", "@daily", "*/x * * * *", "** * * * *",
	}
	for _, schedule := range bad {
		if _, err := desired.Decode("f", []byte(head+"spec: {backup: {schedule: \""+escape(schedule)+"\"}}\n")); err == nil {
			t.Errorf("%q was taken", schedule)
		}
	}
}

func escape(s string) string {
	out := ""
	for _, r := range s {
		if r == '\t' {
			out += `\t`
		} else {
			out += string(r)
		}
	}
	return out
}
