package markdown

import (
	"strings"
	"testing"
)

func TestCodeBlockLabels(t *testing.T) {
	const source = "before\n\n```sh\nls\n\npwd\n```\n\n- item\n\n  ```\n  x\n  ```\n\n> ```go\n> y\n> ```\n> after\n\n    z\n"
	for name, c := range map[string]struct {
		options Options
		want    string
	}{
		"no colour": {Options{Width: 40, Unicode: true}, `before

[sh]
  ls

  pwd

• item

  [code]
    x

| [go]
|   y
|
| after

[code]
  z
`},
		"ASCII": {Options{Width: 40, Colors: 256}, `before

[sh]
  ls

  pwd

- item

  [code]
    x

| [go]
|   y
|
| after

[code]
  z
`},
		"screen reader": {Options{Width: 40, Colors: 256, Unicode: true, Accessible: true}, `before

code (sh):
  ls

  pwd
end of code

- item

  code:
    x
  end of code

> code (go):
>   y
> end of code
>
> after

code:
  z
end of code
`},
	} {
		if got := Render(source, c.options); got != c.want {
			t.Errorf("%s: rendered as\n%s\nwant\n%s", name, got, c.want)
		}
	}
	if got := Render(source, Options{Width: 40, Colors: 256, Unicode: true}); strings.Contains(got, "[sh]") || strings.Contains(got, "end of code") {
		t.Errorf("colour: rendered as\n%s", got)
	}
}
