import { getOrCreate } from '../core/get-or-create.ts'

/** A send: its id is unique in the queue, its URL gives its endpoint and host. */
type Job = { id: string; url: string }

/** The most concurrent sends. One host may have many endpoints, each of which may be slow or dead. */
const MOST_SENDING = 256
const MOST_PER_HOST = 128
const MOST_PER_ENDPOINT = 16
/** Jobs in the queue, sending and waiting. */
const MOST_JOBS = 20_000
const MOST_WAITING_PER_ENDPOINT = 1_000
const FEWEST_WAITING_PER_ENDPOINT = 16

/** `most` until half of the shared places are taken, then `fewest`, with which an endpoint still makes progress. */
const endpointLimit = (taken: number, all: number, most: number, fewest: number) =>
  taken < all / 2 ? most : fewest

/** The path belongs to the endpoint, the query to one call. */
const toTarget = ({ url }: Job) => {
  const { host, origin, pathname } = new URL(url)
  return { host, endpoint: origin + pathname }
}
type Target = ReturnType<typeof toTarget>

/**
 * Queues sends fairly: endpoints take turns, each with a bounded number in flight, so that a slow one delays no other.
 * Starts nothing while `isOpen` is false. `send` must not reject.
 */
export const createFairQueue = <J extends Job>(send: (job: J) => Promise<void>, isOpen: () => boolean) => {
  const jobIds = new Set<string>()
  /** Endpoints in the order of their turns. */
  const waiting = new Map<string, { target: Target; jobs: J[] }>()
  const sendingTo = new Map<string, number>()
  const idle: (() => void)[] = []
  let sending = 0

  const count = (key: string) => sendingTo.get(key) ?? 0
  const move = ({ host, endpoint }: Target, by: 1 | -1) => {
    sending += by
    for (const key of [host, endpoint])
      if (count(key) + by === 0) sendingTo.delete(key)
      else sendingTo.set(key, count(key) + by)
  }

  const hasPlace = () => isOpen() && sending < MOST_SENDING

  const mayStart = ({ host, endpoint }: Target): boolean => {
    if (!hasPlace() || count(host) >= MOST_PER_HOST) return false
    const ofAll = endpointLimit(sending, MOST_SENDING, MOST_PER_ENDPOINT, 1)
    const ofHost = endpointLimit(count(host), MOST_PER_HOST, MOST_PER_ENDPOINT, 1)
    return count(endpoint) < Math.min(ofAll, ofHost)
  }

  const enter = (target: Target, id: string) => {
    jobIds.add(id)
    move(target, 1)
  }

  const leave = (target: Target, id: string) => {
    move(target, -1)
    jobIds.delete(id)
    startWaiting()
    if (sending === 0) for (const resolve of idle.splice(0)) resolve()
  }

  const start = async (target: Target, job: J) => {
    enter(target, job.id)
    await send(job)
    leave(target, job.id)
  }

  /** An endpoint that had its turn goes to the end of the order. */
  const startWaiting = () => {
    for (const [endpoint, { target, jobs }] of waiting) {
      // With thousands of endpoints, a futile scan would make every send expensive.
      if (!hasPlace()) return
      if (!mayStart(target)) continue
      waiting.delete(endpoint)
      const job = jobs.shift()
      if (job) void start(target, job)
      if (jobs.length > 0) waiting.set(endpoint, { target, jobs })
    }
  }

  return {
    /** Reserves a place until `start` has sent the job or `leave` frees it; undefined for a job that would wait. */
    reserve: ({ id, url }: Job): { start: (job: J) => void; leave: () => void } | undefined => {
      const target = toTarget({ id, url })
      if (jobIds.has(id) || jobIds.size >= MOST_JOBS || waiting.has(target.endpoint) || !mayStart(target))
        return undefined
      enter(target, id)
      const free = () => leave(target, id)
      return { start: (job) => void send(job).then(free), leave: free }
    },
    /** Queues the job. False when the queue is full and did not take it. */
    offer: (job: J): boolean => {
      if (jobIds.has(job.id)) return true
      const target = toTarget(job)
      const list = waiting.get(target.endpoint)
      const room = endpointLimit(
        jobIds.size,
        MOST_JOBS,
        MOST_WAITING_PER_ENDPOINT,
        FEWEST_WAITING_PER_ENDPOINT,
      )
      if (jobIds.size >= MOST_JOBS || (list?.jobs.length ?? 0) >= room) return false
      jobIds.add(job.id)
      if (list === undefined && mayStart(target)) void start(target, job)
      else getOrCreate(waiting, target.endpoint, () => ({ target, jobs: [] })).jobs.push(job)
      return true
    },
    drop: (): void => {
      for (const { jobs } of waiting.values()) for (const { id } of jobs) jobIds.delete(id)
      waiting.clear()
    },
    isIdle: (): boolean => sending === 0,
    idle: (): Promise<void> =>
      sending === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  }
}
