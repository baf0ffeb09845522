import { cutText } from '../../core/cut-text.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'

const SPAN_MS = 86_400_000
const MOST_HOSTS = 100
const LONGEST_HOST = 255

/** Names each refused host once a day in the log, and at most 100 of them: programs may ask for any number. */
export const createRefusalLog = ({ clock, log }: { clock: Clock; log: Log }) => {
  const named = new Set<string>()
  let since = clock.monotonic()
  return (host: string, why: string): void => {
    if (clock.monotonic() - since >= SPAN_MS) {
      named.clear()
      since = clock.monotonic()
    }
    if (named.has(host) || named.size > MOST_HOSTS) return
    named.add(host)
    if (named.size > MOST_HOSTS)
      log.warn(
        {},
        'Programs of agents asked for more hosts that are refused; they are not named until tomorrow',
      )
    else log.warn({ host: cutText(host, LONGEST_HOST), why }, 'a host was refused to a program of an agent')
  }
}
