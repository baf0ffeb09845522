import type { InfiniteData, QueryKey } from '@tanstack/react-query'
import type { TaskFields } from '../../../../lib/tasks/schema.ts'
import { liveTaskFields } from './at-build.ts'
import { checkConnection } from './connection.ts'
import { standsStill } from './live-pages.ts'
import { queryClient } from './query-client.ts'
import { isStreaming, LOGS, THREADS, TOPICS } from './streaming.ts'

const LIVE: ReadonlySet<string> = new Set(liveTaskFields)

/** An event has all fields of a task except large ones, so missing live fields are removed. */
export const patched = (known: TaskFields, task: TaskFields): TaskFields => ({
  ...(Object.fromEntries(Object.entries(known).filter(([name]) => !LIVE.has(name))) as TaskFields),
  ...task,
})

type Gathering = { least: number; most: number }
/** Analytics aggregate all tasks, and the inbox reads many lists, so they are read less often. */
const gatherings: Readonly<Record<string, Gathering>> = {
  analytics: { least: 5_000, most: 5_000 },
  inbox: { least: 150, most: 5_000 },
}
/** Refetch interval of a topic in milliseconds: `least` at first, doubled up to `most` while changes continue. */
const gatherTimes = (topic: string): Gathering => gatherings[topic] ?? { least: 150, most: 1_200 }
/** A heartbeat comes every 15 s, so after this silence the connection is dead. */
const SILENCE_MS = 45_000
const REFUSED_MS = 30_000

type Change = { type: string; data: { id?: string; threadId?: string } }

const isOfAnother = ([topic, kind, id]: QueryKey, changed: ReadonlySet<unknown>) =>
  topic === LOGS || topic === THREADS
    ? !changed.has(kind)
    : topic === 'tasks' && kind === 'one' && !changed.has(id)

/** Refetches active queries, restarting those in flight. Long lists are left alone. */
const invalidate = (topic?: string, changed?: ReadonlySet<unknown>): Promise<void> =>
  queryClient.invalidateQueries({
    ...(topic === undefined ? {} : { queryKey: [topic] }),
    predicate: ({ queryKey, state }) =>
      !standsStill(state.data) && !(changed && isOfAnother(queryKey, changed)),
  })

/** Changed ids per topic since its last refetch. */
const gathering = new Map<string, Set<unknown>>()

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * Refetches at once, then once for all changes that arrive in `ms` and until the read completes. Restarting reads in flight would show
 * nothing on a slow connection while changes continue.
 */
const readAnew = async (
  topic: string,
  changed: ReadonlySet<unknown>,
  ms = gatherTimes(topic).least,
): Promise<void> => {
  const gathered = gathering.get(topic)
  if (gathered) {
    for (const id of changed) gathered.add(id)
    return
  }
  gathering.set(topic, new Set())
  await Promise.all([invalidate(topic, changed), pause(ms)])
  const later = gathering.get(topic)
  gathering.delete(topic)
  if (later && later.size > 0) void readAnew(topic, later, Math.min(2 * ms, gatherTimes(topic).most))
}

type Pages = InfiniteData<{ tasks: TaskFields[] }>

/** Updates cached tasks before lists are refetched. */
const patch = (task: TaskFields & { id: string }) => {
  queryClient.setQueryData<TaskFields>(['tasks', 'one', task.id], (known) => known && patched(known, task))
  queryClient.setQueriesData<Pages>({ queryKey: ['tasks', 'pages'] }, (known) => {
    if (!known?.pages.some(({ tasks }) => tasks.some(({ id }) => id === task.id))) return known
    const now = (row: TaskFields) => (row.id === task.id ? patched(row, task) : row)
    return { ...known, pages: known.pages.map((page) => ({ ...page, tasks: page.tasks.map(now) })) }
  })
}

const apply = ({ type, data }: Change) => {
  const [kind = ''] = type.split('.')
  if (type === 'ready' || type === 'reset') return void invalidate()
  if (type === 'task.updated') patch(data as TaskFields & { id: string })
  for (const topic of TOPICS[kind] ?? []) void readAnew(topic, new Set([data.id, data.threadId]))
}

let source: EventSource | undefined
let lastId = ''
let again: ReturnType<typeof setTimeout> | undefined
let silence: ReturnType<typeof setTimeout> | undefined

/** Falls back to polling. */
const lose = () => {
  if (!isStreaming.get()) return
  isStreaming.set(false)
  void invalidate()
}

/** Reopens a silent stream; polls if the health check fails too. */
const watchSilence = () => {
  clearTimeout(silence)
  silence = setTimeout(() => {
    open()
    void checkConnection().then((isThere) => isThere || lose())
  }, SILENCE_MS)
}

const close = () => {
  clearTimeout(again)
  clearTimeout(silence)
  source?.close()
  source = undefined
}

/**
 * Resumes after the last event. The browser reconnects a broken stream by itself, so the stream counts as lost only if that fails or the
 * service is unreachable.
 */
const open = () => {
  close()
  const opened = new EventSource(`/api/events/stream${lastId && `?after=${encodeURIComponent(lastId)}`}`)
  let isBroken = false
  /** The check may complete after the stream recovered or was replaced. */
  const isOpen = () => source !== opened || opened.readyState === EventSource.OPEN
  watchSilence()
  opened.onopen = () => {
    watchSilence()
    isBroken = false
    isStreaming.set(true)
  }
  opened.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
    lastId = lastEventId
    watchSilence()
    const change = JSON.parse(data) as Change
    // The browser reconnects after the delay in the event.
    if (change.type === 'replaced') lose()
    else apply(change)
  }
  opened.onerror = () => {
    if (isBroken || opened.readyState === EventSource.CLOSED) lose()
    else void checkConnection().then((isThere) => isThere || isOpen() || lose())
    isBroken = true
    // The browser reconnects broken streams, but not refused ones.
    if (opened.readyState === EventSource.CLOSED) again = setTimeout(open, REFUSED_MS)
  }
  source = opened
}

/**
 * Follows events while the tab is visible. Browsers allow few connections per origin, so hidden tabs hold none; a visible tab resumes with
 * the missed events.
 */
export const followChanges = () => {
  const follow = () => (document.visibilityState === 'visible' ? open() : close())
  document.addEventListener('visibilitychange', follow)
  follow()
}
