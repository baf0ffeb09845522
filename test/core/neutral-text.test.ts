import { describe, expect, it } from '@jest/globals'
import { neutralText } from '../../lib/core/neutral-text.ts'

const BREAK = '\u200b'

describe('a text that is published', () => {
  it.each([
    '@ann',
    '@org/team',
    'fixes #12',
    'closes owner/repo#12',
    'resolves GH-12',
    'fixes ENG-12',
    'PROJ-12 #close',
    'https://code.example/o/r/issues/12',
    'https://code.example/o/r/pull/12',
    'https://site.example/browse/PROJ-1',
    '&#64;ann',
    '&commat;ann',
    '\\@ann',
    '<img src=x>',
    '<!-- hidden -->',
    '@Ünal',
    '[~accountid:12]',
    'https://tracker.example/acme/profiles/ann',
    '/approve',
    '> /merge',
    '![x](https://elsewhere.example/x.png)',
  ])('reads the same, but acts on nothing: %s', (given) => {
    const neutral = neutralText(given)
    expect(neutral.replaceAll(BREAK, '')).toBe(given)
    expect(neutral).not.toMatch(
      /@[\w\p{L}]|#\w|[A-Z]-\d|\/(?:issues|pull|browse)\/\w|&[#a-z]|<[a-z!]|\[~|\/profiles|^[> ]*\/[a-z]|!\[/u,
    )
  })

  it.each([
    '# Title',
    'a - b',
    'user & co',
    'a < b',
    '- [ ] item',
    'snake_case-1',
    '`code`',
    '[text](https://a.example/b)',
  ])('stays as it is where nothing acts: %s', (given) => expect(neutralText(given)).toBe(given))
})
