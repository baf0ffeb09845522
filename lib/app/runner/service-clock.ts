import type { Clock } from '../../ports/clock.ts'

/**
 * A clock that shows the time of the service: the times and ids that a runner makes are compared with those of others. A step
 * of the machine's clock does not move it.
 */
export const createServiceClock = (own: Clock) => {
  let aheadMs = own.now() - own.monotonic()
  const now = () => own.monotonic() + aheadMs
  return {
    clock: { ...own, now: () => Math.round(now()) } satisfies Clock,
    /**
     * Takes the time in an answer of the service, for a request that was made at `askedAt` of the monotonic clock. By now the
     * service is between that time and as much later as the answer took; it is assumed as early as that allows, so that what
     * a run writes sorts before its end.
     */
    hear: (serviceNow: number, askedAt: number): void => {
      const latest = serviceNow + own.monotonic() - askedAt
      if (now() < serviceNow || now() > latest) aheadMs = serviceNow - own.monotonic()
    },
  }
}
