import { messageOf } from '../../../core/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'

type Message = { readonly id: string }

type Needs<M> = {
  visibilityMs: number
  /** Keeps the message hidden for another `visibilityMs` from now. */
  extend: (message: M) => Promise<void>
  clock: Pick<Clock, 'monotonic' | 'after'>
  log: Pick<Log, 'warn'>
}

/**
 * Keeps messages hidden while they are held, so that a long run is not delivered twice. A message is extended once a
 * third of its time is over: two more beats may fail before it shows. SQS itself ends this 12 hours after the receive.
 */
export const createHeld = <M extends Message>({ visibilityMs, extend, clock, log }: Needs<M>) => {
  const beatMs = visibilityMs / 3
  const extendAt = new Map<M, number>()
  let beating = false

  const beat = () => {
    beating = false
    const now = clock.monotonic()
    for (const [message, at] of extendAt) {
      if (at > now) continue
      extendAt.set(message, now + beatMs)
      extend(message).catch((thrown) => {
        // The next beat tries again, unless the message is gone.
        if (extendAt.has(message)) extendAt.set(message, now)
        log.warn({ messageId: message.id, error: messageOf(thrown) }, 'message was not kept hidden')
      })
    }
    wake()
  }
  const wake = () => {
    if (beating || extendAt.size === 0) return
    beating = true
    clock.after(beatMs / 2, beat)
  }

  return {
    /** Holds a message that was just received; the returned function lets go of it. */
    hold(message: M): () => void {
      extendAt.set(message, clock.monotonic() + beatMs)
      wake()
      return () => void extendAt.delete(message)
    },
  }
}
