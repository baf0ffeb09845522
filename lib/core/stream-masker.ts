import { MASKED } from './redact.ts'
import type { SecretMatcher } from './secret-matcher.ts'

/** Masks a text that comes in pieces. It holds back only a possible beginning of a secret. */
export type StreamMasker = {
  /** The text that may be emitted after this piece; it may be empty. */
  push(piece: string): string
  /** The text that was held back, when no more comes soon. The rest of a secret that began before is still masked. */
  flush(): string
}

/** The end of what may be emitted up to `end`: before the first half of a surrogate pair whose second has not come. */
const wholeLength = (text: string, end: number): number => {
  const last = text.charCodeAt(text.length - 1)
  return end === text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}

/**
 * The output is the text without its secrets, the leftmost and longest first, and well-formed. Fewer characters than
 * the longest form has are held back, and half of a surrogate pair.
 */
export const createStreamMasker = (matcher: SecretMatcher): StreamMasker => {
  /** The end of the text so far, from the first index at which an incomplete secret may begin. */
  let rest = ''
  /** The number of its characters that a flush has emitted. */
  let emitted = 0

  const advance = (isEnd: boolean): string => {
    let out = ''
    let at = 0
    for (;;) {
      const open = isEnd ? rest.length : matcher.openFrom(rest, at)
      const found = matcher.next(rest, at)
      if (found === undefined || found.at >= open) {
        at = open
        break
      }
      if (found.end > emitted) {
        out += rest.slice(emitted, Math.max(emitted, found.at)) + MASKED
        emitted = found.end
      }
      at = found.end
    }
    at = wholeLength(rest, at)
    out += rest.slice(emitted, at)
    emitted = Math.max(emitted, at)
    if (isEnd) return out.toWellFormed()
    rest = rest.slice(at)
    emitted -= at
    return out.toWellFormed()
  }

  return {
    push: (piece) => {
      rest += piece
      return advance(false)
    },
    flush: () => advance(true),
  }
}
