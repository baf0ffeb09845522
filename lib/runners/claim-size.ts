import type { Claim } from './schema.ts'
import { bodyBytes, fittingState } from './state-size.ts'

type Earlier = NonNullable<Claim['earlier']>
type Turn = Earlier['previous']

/** What people read of a turn, without its prompt and its result. */
const shortTurn = ({ id, title, status, error }: Turn): Turn => ({ id, title, status, error })

const withEarlier = (claim: Claim, change: (earlier: Earlier) => Earlier): Claim =>
  claim.earlier === undefined ? claim : { ...claim, earlier: change(claim.earlier) }

/** Without a state that a turn left, the turn counts among those that left none. */
const withoutContinuation = ({ previous, since }: Earlier): Earlier => ({
  previous,
  since: since.length === 0 ? [previous] : since,
})

const withFittingContinuation = (claim: Claim, mostBytes: number): Claim =>
  withEarlier(claim, (earlier) => {
    const without = withoutContinuation(earlier)
    const room = mostBytes - bodyBytes({ ...claim, earlier: { ...without, continuation: {} } })
    const continuation = earlier.continuation && fittingState(earlier.continuation, room)
    return continuation === undefined ? without : { ...earlier, continuation }
  })

/** What a claim is given without where it is too large, what matters least first. */
const reductions: readonly ((claim: Claim, mostBytes: number) => Claim)[] = [
  (claim) => withEarlier(claim, (earlier) => ({ ...earlier, since: earlier.since.map(shortTurn) })),
  withFittingContinuation,
  (claim) =>
    withEarlier(claim, ({ previous, continuation, since }) => ({
      previous: shortTurn(previous),
      ...(continuation !== undefined && { continuation }),
      since: since.map(shortTurn),
    })),
  ({ task: { result: _result, ...task }, ...claim }) => ({ ...claim, task }),
]

/**
 * A claim as far as it fits an answer, with whether the session of its agent lacks something. Undefined where it does not
 * fit: a run goes on from its whole checkpoint only.
 */
export const fittingClaim = (
  claim: Claim,
  mostBytes: number,
): { claim: Claim; isSessionCut: boolean } | undefined => {
  let fitting = claim
  const fits = () => bodyBytes(fitting) <= mostBytes
  for (const reduce of reductions) {
    if (fits()) break
    fitting = reduce(fitting, mostBytes)
  }
  if (!fits()) return undefined
  return { claim: fitting, isSessionCut: fitting.earlier?.continuation !== claim.earlier?.continuation }
}
