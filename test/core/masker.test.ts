import { describe, expect, it } from '@jest/globals'
import { createMasker } from '../../lib/core/masker.ts'
import { secretForms } from '../../lib/core/secret-forms.ts'

const SECRET = `p1/"ä <'&+b\\=~ 9`
const masker = createMasker([SECRET, 'prefix-of-it', 'prefix-of-it-and-more'])
const bytes = Buffer.from(SECRET)
const json = (text: string) => JSON.stringify(text)

describe('a configured secret', () => {
  it.each([
    ['as it is', SECRET],
    ['in JSON', json(SECRET)],
    ['in JSON within JSON', json(json(SECRET))],
    ['in JSON of PHP', json(SECRET).replaceAll('/', '\\/')],
    ['in JSON of Python', json(SECRET).replace('ä', '\\u00e4')],
    ['in JSON of Go', json(SECRET).replace('<', '\\u003c').replace('&', '\\u0026').replace("'", '\\u0027')],
    ['in a URL', encodeURIComponent(SECRET)],
    ['in a URL of another program', encodeURIComponent(SECRET).toLowerCase().replace('p1', 'p1')],
    ['in a form', new URLSearchParams({ a: SECRET }).toString()],
    ['in HTML', 'p1/&quot;ä &lt;&#39;&amp;+b\\=~ 9'],
    ['in a quoted string', `p1/"ä <\\'&+b\\\\=~ 9`],
    ['for a shell', `p1/"ä <'\\''&+b\\=~ 9`],
    ['in hexadecimal', bytes.toString('hex')],
    ['in capital hexadecimal', bytes.toString('hex').toUpperCase()],
    ['in base64', bytes.toString('base64')],
    ['in base64 of a URL', bytes.toString('base64url')],
    ['in base64 behind a name', Buffer.concat([Buffer.from('u:'), bytes]).toString('base64')],
    ['in base64 behind a longer name', Buffer.concat([Buffer.from('usr:'), bytes]).toString('base64')],
  ])('is masked %s', (_how, text) => {
    const masked = masker.text(`before ${text} after`)
    expect(masked).toContain('[masked]')
    // At most the characters of base64 that it shares with its neighbours are left of it.
    expect(masked.length).toBeLessThan('before  after'.length + '[masked]'.length + 8)
    expect(masker.logText(text)).toContain('[masked]')
  })

  it('that is a key of bytes is masked in both forms of them', () => {
    const key = Buffer.from('0123456789abcdef0123456789abcdeX')
    for (const given of [key.toString('hex'), key.toString('base64')]) {
      const shown = createMasker([given]).text(`${key.toString('hex')} ${key.toString('base64')}`)
      expect(shown).toMatch(/^\[masked\] \[masked\].{0,2}$/)
    }
  })

  it('that begins another is not taken for it', () => {
    expect(masker.text('prefix-of-it-and-more, prefix-of-it')).toBe('[masked], [masked]')
  })

  it('is masked in keys and texts of data, and the rest of the data stays as it is', () => {
    const given = JSON.parse(`{"__proto__":{"a":1},"n":1.5,"no":null,"list":["x",${json(SECRET)}]}`)
    const masked = masker.data({ ...given, [SECRET]: { deep: `=${SECRET}=` } })
    expect(masked).toEqual({ ...given, list: ['x', '[masked]'], '[masked]': { deep: '=[masked]=' } })
    expect(json(masker.data(given))).toBe(json(given).replace(json(SECRET), '"[masked]"'))
  })

  it('that is told in two pieces is not there when both are put together', () => {
    for (let at = 1; at < SECRET.length; at++) {
      const tell = masker.messages()
      const told = [`a ${SECRET.slice(0, at)}`, `${SECRET.slice(at)} b ${SECRET}`].map(tell)
      expect(told).toEqual([`a ${SECRET.slice(0, at)}`, '[masked] b [masked]'])
    }
  })

  it('shows nothing of itself by a guess at its beginning', () => {
    for (let at = 1; at < SECRET.length; at++) {
      const guess = SECRET.slice(0, at)
      expect(masker.text(guess)).toBe(guess)
    }
  })

  it('of fewer than 8 characters is not looked for', () => {
    expect(secretForms('seven77')).toEqual([])
    expect(createMasker(['', ' ', 'a', 'seven77']).text('a seven77 text')).toBe('a seven77 text')
    expect(createMasker(['eight888']).text('a eight888 text')).toBe('a [masked] text')
  })

  it('is no pattern', () => {
    const special = createMasker(['a.*(b)+[c]$|^'])
    expect(special.text('a.*(b)+[c]$|^ aXXbbc')).toBe('[masked] aXXbbc')
  })
  it('that is learned is masked in a log though the same text was logged before, and not after it is forgotten', () => {
    const learning = createMasker([])
    const log = () => [
      learning.logText('a-learned-secret'),
      learning.logValue({ said: ['a-learned-secret'] }),
    ]
    const before = log()
    const forget = learning.learn('a-learned-secret')
    expect(log()).toEqual(['[masked]', { said: ['[masked]'] }])
    forget()
    expect(log()).toEqual(before)
  })

  it('is looked for in every text of a log but the ids that the service makes for requests and tasks', () => {
    const [ulid, other] = ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDEKTSV4RRFFQ69G5FAVX']
    const masker = createMasker([ulid])
    const texts = [`task_${ulid}`, `req_${ulid}`, `evt_${ulid}`, ulid, `task_${other}`, ` task_${ulid}`]
    expect(texts.map(masker.logText).map((text) => text.includes(ulid))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
    expect(createMasker([]).logText(`svc_${ulid}`)).toBe('[masked]')
  })

  it('that is learned is masked until all who learned it have forgotten it, in streams that have begun as well', () => {
    const learning = createMasker([])
    const [stream, messages] = [learning.stream(), learning.messages()]
    const forget = [learning.learn('a-learned-secret'), learning.learn('a-learned-secret')]
    const told = 'before a-learned-secret after'
    const masked = 'before [masked] after'
    expect(learning.text(told)).toBe(masked)
    expect(stream.push(told) + stream.flush()).toBe(masked)
    expect([messages('a-learned-'), messages('secret')]).toEqual(['a-learned-', '[masked]'])
    forget[0]?.()
    forget[0]?.()
    expect(learning.text(told)).toBe(masked)
    forget[1]?.()
    expect(learning.text(told)).toBe(told)
  })
})
