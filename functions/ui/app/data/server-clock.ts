import { createSignal } from './signal.ts'

/** Bounds of server time minus browser time, in milliseconds. */
export type Bounds = { readonly least: number; readonly most: number }
type Seen = { sentAt: number; receivedAt: number; date: number }

/** `Date` headers have a resolution of one second, and may come from a clock that is read once a second. */
const GRAIN_MS = 1_000
const SLACK_MS = 100

/** Narrows the bounds. Contradicting bounds mean that a clock was set; then estimation restarts. */
export const narrowed = (known: Bounds | undefined, { sentAt, receivedAt, date }: Seen): Bounds => {
  const seen = { least: date - receivedAt - SLACK_MS, most: date + GRAIN_MS - sentAt + SLACK_MS }
  if (known === undefined) return seen
  const both = { least: Math.max(known.least, seen.least), most: Math.min(known.most, seen.most) }
  return both.least <= both.most ? both : seen
}

/** 0 while the clocks may agree. */
export const estimatedOffset = ({ least, most }: Bounds): number =>
  least <= 0 && most >= 0 ? 0 : Math.round((least + most) / 2)

let bounds: Bounds | undefined
export const clockOffset = createSignal(0)

export const readClock = (response: Response, sentAt: number) => {
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(date)) return
  bounds = narrowed(bounds, { sentAt, receivedAt: Date.now(), date })
  clockOffset.set(estimatedOffset(bounds))
}

/** Times from the service are compared with this. */
export const serverNow = (): number => Date.now() + clockOffset.get()
