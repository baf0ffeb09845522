import { MASKED } from './redact.ts'
import type { SecretMatcher } from './secret-matcher.ts'

/** Masks a text that comes in pieces. It holds back only a possible beginning of a secret. */
export type StreamMasker = {
  /** The text that may be emitted after this piece; it may be empty. */
  push(piece: string): string
  /**
   * The text that was held back, when no more text comes, or not soon. The rest of a secret that began before a flush is
   * still masked.
   */
  flush(): string
}

/**
 * The output of all pieces together is the text without its secrets, the leftmost and longest found first. The masker
 * holds back fewer characters than the longest form has.
 */
export const createStreamMasker = (matcher: SecretMatcher): StreamMasker => {
  /** The end of the text so far, from the first index at which an incomplete secret may begin. */
  let rest = ''
  /** The number of its characters that a flush has emitted. */
  let emitted = 0

  const advance = (isEnd: boolean): string => {
    let out = ''
    let at = 0
    for (; at < rest.length; at += 1) {
      if (!isEnd && matcher.isOpenAt(rest, at)) break
      const length = matcher.lengthAt(rest, at)
      if (length === 0) continue
      const end = at + length
      if (end > emitted) {
        out += rest.slice(emitted, Math.max(emitted, at)) + MASKED
        emitted = end
      }
      at = end - 1
    }
    out += rest.slice(emitted, at)
    emitted = Math.max(emitted, at)
    if (isEnd) return out
    rest = rest.slice(at)
    emitted -= at
    return out
  }

  return {
    push: (piece) => {
      rest += piece
      return advance(false)
    },
    flush: () => advance(true),
  }
}
