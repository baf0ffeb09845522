import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createS3Blobs } from '../../lib/adapters/aws/s3.ts'
import { openCloud } from '../../lib/app/cloud.ts'
import { openBucket } from '../../lib/app/cloud-ports.ts'
import { LOST_TEXT } from '../../lib/core/truncated.ts'
import { deliveryRows } from '../../lib/deliveries/rows.ts'
import { chatMessages, numberText } from '../../lib/turns/rows.ts'
import { hasDynoxide } from '../../offline/emulators.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { startCloud } from './cloud.ts'
import { type Functions, loadFunctions } from './functions.ts'

/** More than a row has in itself. */
const LONG = 'word '.repeat(9_000)
const AT = '2026-01-01T00:00:00.000Z'

// biome-ignore lint/suspicious/noExplicitAny: answers of many routes, which the expectations name.
type Body = any

let cloud: Awaited<ReturnType<typeof startCloud>>
let functions: Functions
let receiver: Awaited<ReturnType<typeof startReceiver>>
const known: Record<string, string> = {}
let exported: Body

const http = async (name: string, route: string, body?: object): Promise<Body> =>
  functions.http(name, route, body)
/** The status and the body of a refusal. */
const refusal = (name: string, route: string, body?: object): Promise<string> =>
  http(name, route, body).then(
    () => 'not refused',
    (thrown: Error) => thrown.message,
  )

const plant = async (): Promise<void> => {
  const task = async (more: object) =>
    (await http('tasks', 'POST /api/tasks', { title: 'Task', ...more })).task.id
  known.task = await task({ prompt: LONG, description: 'short' })
  known.titled = await task({ title: 'word '.repeat(100).trim(), prompt: 'short', sourceId: 'x'.repeat(400) })
  known.sound = await task({ prompt: 'sound' })
  const schedule = { name: 'S', cron: '@yearly', task: { title: 'T', prompt: LONG } }
  known.schedule = (await http('schedules', 'POST /api/schedules', schedule)).schedule.id
  const conversation = { title: 'C', systemPrompt: LONG }
  known.conversation = (await http('chat', 'POST /api/chat/conversations', conversation)).conversation.id
  const experience = { type: 'task_solution', intent: 'I', solution: LONG }
  known.experience = (await http('memory', 'POST /api/memory/experiences', experience)).experience.id
  const webhook = { url: receiver.url, events: ['task.failed'] }
  known.webhook = (await http('outbound', 'POST /api/webhooks', webhook)).webhook.id
  await functions.as('worker', async (config) => {
    const { toolCalls, approvals, ports } = await openCloud(config)
    const call = {
      callId: 'c',
      tool: 'git',
      arguments: { text: LONG },
      result: LONG,
      failed: false,
      durationMs: 1,
    }
    toolCalls.record({ ...call, decision: 'allowed', mode: 'full', userId: 'local', taskId: known.task })
    await toolCalls.settled()
    const asked = { tool: 'git', risk: 'write', mode: 'ask', title: 'git', userId: 'local' } as const
    await approvals.ask({ ...asked, taskId: 'task_1', arguments: { text: LONG } })
    const { conversation: conversationId = '', webhook: owner = '' } = known
    const said = {
      id: 'msg_1',
      conversationId,
      number: numberText(0),
      role: 'user',
      content: LONG,
      createdAt: AT,
    } as const
    await ports.store.commit({ insert: chatMessages, row: said })
    const delivery = {
      id: `evt_1_${owner}`,
      owner,
      event: 'task.failed',
      url: receiver.url,
      body: JSON.stringify({ LONG }),
    }
    const row = { ...delivery, status: 'pending', tries: 0, attempts: [], dueAt: AT, createdAt: AT } as const
    await ports.store.commit({ insert: deliveryRows, row })
    const blobs = createS3Blobs(openBucket(config))
    const { keys } = await blobs.list('rows/', { limit: 100 })
    const folders = [...new Set(keys.map((key) => key.split('/')[1]))].sort()
    expect(folders).toEqual([
      ...[
        'approvals',
        'chatMessages',
        'conversations',
        'deliveries',
        'experiences',
        'schedules',
        'tasks',
        'toolCalls',
      ],
    ])
    for (const key of keys) await blobs.remove(key)
    await ports.store.close()
  })
}

if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: no other emulator has streams')
const suite = hasDynoxide() ? describe : describe.skip
suite('rows whose stored objects are gone, through the functions', () => {
  beforeAll(async () => {
    cloud = await startCloud()
    receiver = await startReceiver()
    const openEnvironment = async () => {
      const environment = await cloud.openEnvironment()
      return { ...environment, env: { ...environment.env, AUTH_MODE: 'local' } }
    }
    functions = loadFunctions({ ...cloud, openEnvironment })
    await plant()
    const listed = await http('tasks', 'GET /api/tasks/export')
    exported = listed
  })
  afterAll(async () => {
    functions?.stop()
    await receiver?.[Symbol.asyncDispose]()
    await cloud?.stop()
  })

  const lostTask = () => ({ id: known.task, description: 'short', truncated: ['prompt'] })
  const lostTitle = () => ({ id: known.titled, title: LOST_TEXT, prompt: 'short', truncated: ['title'] })
  const READS: [string, string, (body: Body) => unknown, () => unknown][] = [
    [
      'tasks',
      'GET /api/tasks',
      ({ tasks }) => tasks.find((one: Body) => one.id === known.titled),
      () => ({ title: LOST_TEXT, truncated: ['title'] }),
    ],
    [
      'tasks',
      'GET /api/tasks?full=true',
      ({ tasks }) => [...tasks].reverse(),
      () => [lostTask(), lostTitle(), { id: known.sound, prompt: 'sound' }],
    ],
    ['tasks', 'GET /api/tasks?fields=prompt', ({ tasks }) => tasks.at(-1), () => ({ truncated: ['prompt'] })],
    [
      'tasks',
      'GET /api/tasks/filter?q=sound',
      ({ tasks }) => tasks.map(({ id }: Body) => id),
      () => [known.sound],
    ],
    ['tasks', 'GET /api/tasks/filter?sortBy=title', ({ total }) => total, () => 3],
    ['tasks', 'GET /api/tasks/{task}', ({ task }) => task, lostTask],
    ['tasks', 'GET /api/tasks/{task}/events', ({ count }) => count, () => 2],
    [
      'tasks',
      'GET /api/tasks/export',
      ({ tasks }) => tasks,
      () => [lostTask(), lostTitle(), { id: known.sound }],
    ],
    ['schedules', 'GET /api/schedules', ({ schedules }) => schedules.length, () => 1],
    [
      'schedules',
      'GET /api/schedules/{schedule}',
      ({ schedule }) => schedule,
      () => ({ task: { title: 'T' }, truncated: ['task'] }),
    ],
    ['chat', 'GET /api/chat/conversations', ({ conversations }) => conversations.length, () => 1],
    [
      'chat',
      'GET /api/chat/conversations/{conversation}',
      (body) => body,
      () => ({
        conversation: { truncated: ['systemPrompt'] },
        messages: [{ content: LOST_TEXT, truncated: ['content'] }],
      }),
    ],
    [
      'memory',
      'GET /api/memory/experiences',
      ({ experiences }) => experiences,
      () => [{ intent: 'I', solution: LOST_TEXT, truncated: ['solution'] }],
    ],
    ['memory', 'GET /api/memory/experiences/search?q=I', ({ query }) => query, () => 'I'],
    ['security', 'GET /api/security/audit', ({ entries }) => entries, () => [{ tool: 'git' }]],
    [
      'security',
      'GET /api/security/approvals',
      ({ approvals }) => approvals,
      () => [{ params: {}, truncated: ['params'] }],
    ],
    [
      'outbound',
      'GET /api/webhooks/{webhook}/deliveries',
      ({ deliveries }) => deliveries,
      () => [{ payload: {}, truncated: ['payload'] }],
    ],
  ]
  it.each(READS)('%s answers %s', async (name, route, part, expected) => {
    const path = route.replace(/\{(\w+)\}/, (_, word) => known[word] ?? word)
    expect({ part: part(await http(name, path)) }).toMatchObject({ part: expected() })
  })

  it('a whole entry of the audit says what it has lost', async () => {
    const { entries } = await http('security', 'GET /api/security/audit')
    const { entry } = await http('security', `GET /api/security/audit/${entries[0].id}`)
    expect(entry).toMatchObject({ result: LOST_TEXT, truncated: ['arguments', 'result'] })
  })

  it('a worker fails a task without its definition, and no retry runs one without it', async () => {
    await functions.feed('worker', 'ai-tasks')
    for (const [id, field] of [
      [known.task, 'prompt'],
      [known.titled, 'title'],
    ]) {
      const { task } = await http('tasks', `GET /api/tasks/${id}`)
      const message = `The task cannot run: its stored ${field} is missing`
      expect(task).toMatchObject({
        status: 'failed',
        attempts: 1,
        error: { code: 'stored_data_lost', message },
      })
      expect(await refusal('tasks', `POST /api/tasks/${id}/retry`)).toMatch(
        `400 {"error":"The task cannot be retried: its stored ${field} is missing","code":"stored_data_lost"`,
      )
    }
    await functions.drain()
    expect((await http('queue', 'GET /api/dlq')).items).toHaveLength(2)
  })

  it('an import of the export keeps the names of what is lost, and its task does not run without it', async () => {
    const tasks = exported.tasks.map((task: Body, n: number) => ({
      ...task,
      id: `imported_${n}`,
      status: 'queued',
    }))
    const { results } = await http('tasks', 'POST /api/tasks/import', { ...exported, tasks })
    expect(results).toEqual({ imported: 3, skipped: 0, errors: [] })
    expect((await http('tasks', 'GET /api/tasks/imported_0')).task).toMatchObject({ truncated: ['prompt'] })
    await functions.feed('worker', 'ai-tasks')
    const { task } = await http('tasks', 'GET /api/tasks/imported_0')
    expect(task).toMatchObject({ status: 'failed', error: { code: 'stored_data_lost' } })
  })

  it('a schedule makes no task without its definition, until that is given again', async () => {
    const run = `POST /api/schedules/${known.schedule}/run`
    expect(await refusal('schedules', run)).toMatch(
      '400 {"error":"The task of this schedule is no longer stored. Edit the schedule and save its task: its stored task is missing","code":"stored_data_lost"',
    )
    await http('schedules', `PATCH /api/schedules/${known.schedule}`, { task: { title: 'T', prompt: 'new' } })
    expect((await http('schedules', run)).task).toMatchObject({ prompt: 'new' })
  })

  it('a delivery without its body is not sent, and its webhook goes on', async () => {
    await functions.invoke('tick', {})
    const { deliveries } = await http('outbound', `GET /api/webhooks/${known.webhook}/deliveries`)
    const lost = deliveries.find(({ id }: Body) => id.startsWith('evt_1_'))
    expect(lost).toMatchObject({
      status: 'failed',
      attempts: [{ error: 'Cannot be sent: its stored body is missing' }],
    })
    expect((await http('outbound', `GET /api/webhooks/${known.webhook}`)).webhook).toMatchObject({
      active: true,
    })
    expect(receiver.heard.every(({ body }) => body.includes('"payload"'))).toBe(true)
  })
})
