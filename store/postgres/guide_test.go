package postgres

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/tq"
)

// What the guide shows in SQL runs as it stands, in one session.
func TestTheStatementsOfTheGuideRun(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/guides/postgres.md")
	if err != nil {
		t.Fatal(err)
	}
	w := worldOf(t, OpenAt(t, Server.URL(), Options{}), nil)
	conn := w.conn()
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	equal(t, "blocks of SQL in the guide", len(blocks), 2)
	for _, b := range blocks {
		script := strings.ReplaceAll(b[1], "tq.enqueue", w.o.Schema+".enqueue")
		if _, err := conn.PgConn().Exec(w.ctx(), script).ReadAll(); err != nil {
			t.Errorf("%v in\n%s", err, b[1])
		}
	}
	w.must("wake", w.Wake(w.ctx()))
	page, err := w.Tasks(w.ctx(), tq.TaskQuery{Limit: 10})
	w.must("list", err)
	equal(t, "tasks", len(page.Tasks), 4)
}
