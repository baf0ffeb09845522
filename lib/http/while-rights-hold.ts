import type { RightsWatch } from '../core/rights-watch.ts'
import type { Clock } from '../ports/clock.ts'

/** How long an answer in pieces may take to end by itself, with a last event, when the rights of its caller have ended. */
const GRACE_MS = 1_000

/**
 * The pieces of an answer until the rights of its caller end. Then the answer may end by itself for a second; if it does
 * not, it is cut: an answer of events ends, any other one fails, so that no reader takes it for complete.
 */
export async function* whileRightsHold(
  pieces: AsyncIterable<string>,
  { signal, end }: RightsWatch,
  clock: Clock,
  isEvents: boolean,
): AsyncGenerator<string, void> {
  const iterator = pieces[Symbol.asyncIterator]()
  let settle: (first: 'cut') => void = () => undefined
  let isCut = false
  let cancel: () => void = () => undefined
  const cutLater = () => {
    cancel = clock.after(GRACE_MS, () => {
      isCut = true
      settle('cut')
    })
  }
  if (signal.aborted) cutLater()
  else signal.addEventListener('abort', cutLater, { once: true })
  try {
    while (!isCut) {
      const next = await new Promise<IteratorResult<string> | 'cut'>((resolve, reject) => {
        settle = resolve
        iterator.next().then(resolve, reject)
      })
      if (next === 'cut') break
      if (next.done) return
      yield next.value
    }
    if (!isEvents) throw signal.reason
  } finally {
    signal.removeEventListener('abort', cutLater)
    cancel()
    end()
    // Not awaited: a generator that waits for its next piece returns only after it.
    iterator.return?.()?.catch(() => undefined)
  }
}
