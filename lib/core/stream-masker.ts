import { MASKED } from './redact.ts'
import type { SecretMatcher } from './secret-matcher.ts'

/** Masks a text that comes in pieces. Of what it is given it keeps back only what may be the beginning of a secret. */
export type StreamMasker = {
  /** What may be emitted once this piece is there; it may be nothing. */
  push(piece: string): string
  /** What was kept back: no more comes, or not soon. What ends a secret that began before a flush is still masked. */
  flush(): string
}

/**
 * Whatever the pieces, what they make together is the text without its secrets, the leftmost and longest found first. Keeps
 * fewer characters than the longest form of a secret has.
 */
export const createStreamMasker = (matcher: SecretMatcher): StreamMasker => {
  /** The end of what came: from the first place where a secret may begin that is not whole yet. */
  let rest = ''
  /** How much of that a flush has emitted. */
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
