const LOWEST_SURROGATE = 0xd800
const HIGHEST_SURROGATE = 0xdfff
const HIGHEST = 0x10ffff

/** Every character there is, once: what lies between the surrogates' neighbours, and all planes above. */
const everyCharacter = (): string => {
  const parts: string[] = []
  for (let point = 0; point <= HIGHEST; point += 1)
    if (point < LOWEST_SURROGATE || point > HIGHEST_SURROGATE) parts.push(String.fromCodePoint(point))
  return parts.join('')
}

export const texts: Readonly<Record<string, string>> = {
  'no text': '',
  'a byte order mark': '\uFEFFtext\uFEFF',
  'line ends': 'a\r\nb\rc\n\u2028d\0',
  'a text not in normal form': 'e\u0301é',
  'every character': everyCharacter(),
  'five million characters': 'line of text \u{1F600}\n'.repeat(5_000_000 / 16),
}

export const illFormed = ['\uD800', 'a\uDC00', '\uDC00\uD800', 'x\uD83D', '\uD83D\uD83D\uDE00']

const LONG = 'x'.repeat(200)

export const edgeKeys = [
  '...',
  '.a',
  'a.',
  '-',
  '_',
  '..a/b..',
  '__proto__',
  'constructor/toString',
  LONG,
  `${LONG}/${LONG}/${'y'.repeat(110)}`,
]

export const badKeys = [
  '',
  '/',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  './a',
  '../a',
  'a/..',
  'a/../b',
  'a/./b',
  'a b',
  'a\\b',
  'a\n',
  'a\0',
  'a%2fb',
  'a+b',
  'é',
  'a:b',
  '~drafts/0',
  `${LONG}x`,
  `${LONG}/${LONG}/${'y'.repeat(111)}`,
]

type BadList = readonly [prefix: string, page: { limit: number; after?: string }]

export const badLists: readonly BadList[] = [
  ['/', { limit: 1 }],
  ['a//', { limit: 1 }],
  ['../', { limit: 1 }],
  ['a/./', { limit: 1 }],
  ['a b', { limit: 1 }],
  ['', { limit: 0 }],
  ['', { limit: 1_001 }],
  ['', { limit: 1.5 }],
  ['', { limit: Number.NaN }],
  ['', { limit: 1, after: '' }],
  ['', { limit: 1, after: '../a' }],
]
