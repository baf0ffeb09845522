import { describe, expect, it } from '@jest/globals'
import { prefersText } from '../../lib/core/accept.ts'
import { expose } from '../../lib/health/exposition.ts'

describe('the text exposition format', () => {
  it('escapes backslash, quote and line feed where the format asks for it', () => {
    const text = expose([
      {
        name: 'odd',
        help: 'a\\b\nc "d"',
        type: 'gauge',
        samples: [{ labels: { path: '/a\\b"c\nd' }, value: 1 }],
      },
    ])
    expect(text).toBe('# HELP odd a\\\\b\\nc "d"\n# TYPE odd gauge\nodd{path="/a\\\\b\\"c\\nd"} 1\n')
  })

  it('writes samples without labels, and the parts of a summary', () => {
    const text = expose([
      { name: 's', help: 'h', type: 'summary', samples: [{ value: 2 }, { suffix: '_sum', value: 0.25 }] },
    ])
    expect(text).toBe('# HELP s h\n# TYPE s summary\ns 2\ns_sum 0.25\n')
  })
})

describe('text is preferred to JSON', () => {
  it.each([
    ['text/plain', true],
    ['text/plain; version=0.0.4', true],
    ['text/*', true],
    ['text/plain;q=0.3, */*;q=0.1', true],
    ['application/json;q=0.5, TEXT/PLAIN', true],
    ['*/*', false],
    ['application/json', false],
    ['application/json, text/plain, */*', false],
    ['text/html, */*;q=0.8', false],
    ['text/plain;q=0', false],
    ['text/plain;q=nonsense', false],
    ['', false],
    [undefined, false],
  ])('by Accept: %s – %s', (accept, preferred) => {
    expect(prefersText(accept)).toBe(preferred)
  })
})
