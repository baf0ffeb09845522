import { createSignal } from './signal.ts'

/** Between which values the server's clock minus that of the browser lies, in milliseconds. */
export type Bounds = { readonly least: number; readonly most: number }
type Seen = { sentAt: number; receivedAt: number; date: number }

/** The `Date` of an answer has whole seconds, and may be taken from a clock that is read once a second. */
const GRAIN_MS = 1_000
const SLACK_MS = 100

/** What is known of the difference after one more answer. A clock that was set since then begins anew. */
export const narrowed = (known: Bounds | undefined, { sentAt, receivedAt, date }: Seen): Bounds => {
  const seen = { least: date - receivedAt - SLACK_MS, most: date + GRAIN_MS - sentAt + SLACK_MS }
  if (known === undefined) return seen
  const both = { least: Math.max(known.least, seen.least), most: Math.min(known.most, seen.most) }
  return both.least <= both.most ? both : seen
}

/** The difference to reckon with: none where the clocks may be the same. */
export const estimatedOffset = ({ least, most }: Bounds): number =>
  least <= 0 && most >= 0 ? 0 : Math.round((least + most) / 2)

let bounds: Bounds | undefined
/** What the server's clock shows more than that of the browser. */
export const clockOffset = createSignal(0)

/** Learns from an answer what the server's clock says. */
export const readClock = (response: Response, sentAt: number) => {
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(date)) return
  bounds = narrowed(bounds, { sentAt, receivedAt: Date.now(), date })
  clockOffset.set(estimatedOffset(bounds))
}

/** Now by the clock of the server, which wrote the times that it is compared with. */
export const serverNow = (): number => Date.now() + clockOffset.get()
