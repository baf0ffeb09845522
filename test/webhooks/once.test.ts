import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { collections } from '../../lib/collections.ts'
import type { Store } from '../../lib/ports/store.ts'
import { type Emulator, hasDynoxide, startDynoxide } from '../../offline/emulators.ts'
import { openClient, openTables } from '../adapters/dynamodb/opened.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { rejectingStore } from '../fakes/rejecting-store.ts'
import { ANN } from '../fakes/service.ts'
import { type StartedInbound, startInbound } from './inbound.ts'
import * as github from './payloads/codehost.ts'
import * as jira from './payloads/trackera.ts'
import * as linear from './payloads/trackerb.ts'

const labeled = (more: object = {}) => github.issueLabeled('ai-task', { ...more })
type Answer = Awaited<ReturnType<StartedInbound['deliver']>>
const idsIn = (answers: readonly Answer[]) => new Set(answers.map(({ body }) => body.task?.id))
const eventCount = async ({ inbound }: StartedInbound) => (await inbound.status()).codehost.eventCount

describe('a delivery that comes again', () => {
  it('has the same task in its answer, whatever became of that', async () => {
    await using inbound = await startInbound()
    const send = (delivery: string) => inbound.deliver('codehost', labeled(), { event: 'issues', delivery })
    const first = await send('a')
    expect(first.body.message).toBe('This event already created a task')
    expect(await send('a')).toMatchObject({ status: 200, body: { task: first.body.task } })
    await inbound.tasks.cancel(ANN, first.body.task.id)
    const late = await send('a')
    expect(late.body.task).toMatchObject({ id: first.body.task.id, status: 'cancelled' })
    expect([await inbound.total(), await eventCount(inbound)]).toEqual([1, 1])
  })

  it('under another id is known by its body', async () => {
    await using inbound = await startInbound()
    const deliveries = ['a', 'b', undefined].map((delivery) => (delivery === undefined ? {} : { delivery }))
    const answers = []
    for (const delivery of deliveries)
      answers.push(await inbound.deliver('codehost', labeled(), { event: 'issues', ...delivery }))
    expect(idsIn(answers).size).toBe(1)
    const [{ id }] = answers.map(({ body }) => body.task)
    await inbound.tasks.cancel(ANN, id)
    const again = await inbound.deliver('codehost', labeled(), { event: 'issues', delivery: 'c' })
    expect(again.body.task.id).toBe(id)
    expect(await inbound.total()).toBe(1)
  })

  it('with another body is known by its id, and makes no other task when the first has ended', async () => {
    await using inbound = await startInbound()
    const send = (number: number) =>
      inbound.deliver('codehost', labeled({ number }), { event: 'issues', delivery: 'a' })
    const { id } = (await send(1)).body.task
    expect((await send(2)).body.task.id).toBe(id)
    await inbound.tasks.cancel(ANN, id)
    expect((await send(3)).body.task.id).toBe(id)
    expect(await inbound.total()).toBe(1)
  })

  it('of another sender is another', async () => {
    await using inbound = await startInbound()
    await inbound.deliver('trackera', jira.issueCreated(['ai-task']), { delivery: 'a' })
    await inbound.deliver('trackerb', linear.issueCreated(['ai-task']), { delivery: 'a' })
    expect(await inbound.total()).toBe(2)
  })

  it('says again why it makes no task', async () => {
    await using inbound = await startInbound()
    const send = () => inbound.deliver('codehost', github.ping, { event: 'ping', delivery: 'a' })
    expect((await send()).body).toEqual({ message: 'The webhook works' })
    expect((await send()).body).toEqual({ message: 'The webhook works' })
    expect(await eventCount(inbound)).toBe(1)
  })
})

describe('an issue', () => {
  it('has one task at a time, to which its further events come', async () => {
    await using inbound = await startInbound()
    const label = await inbound.deliver('codehost', labeled(), { event: 'issues' })
    const order = await inbound.deliver('codehost', github.commentCreated('/ai hurry'), {
      event: 'issue_comment',
    })
    expect(order.body).toMatchObject({
      message: 'A task for this already exists',
      task: { id: label.body.task.id },
    })
    expect(await inbound.total()).toBe(1)
  })

  it('has another once that has ended', async () => {
    await using inbound = await startInbound()
    const first = await inbound.deliver('codehost', labeled(), { event: 'issues' })
    await inbound.tasks.cancel(ANN, first.body.task.id)
    const second = await inbound.deliver('codehost', github.commentCreated('/ai again'), {
      event: 'issue_comment',
    })
    expect(second.body.message).toBe('This event already created a task')
    const third = await inbound.deliver('codehost', github.commentCreated('/ai more'), {
      event: 'issue_comment',
    })
    expect(third.body.task.id).toBe(second.body.task.id)
    expect(await inbound.total()).toBe(2)
  })

  it('is the same when it goes by another name', async () => {
    await using inbound = await startInbound()
    const before = await inbound.deliver('codehost', labeled(), { event: 'issues' })
    const renamed = { ...github.commentCreated('/ai x'), repository: github.repository('acme/store') }
    const after = await inbound.deliver('codehost', renamed, { event: 'issue_comment' })
    const moved = { ...jira.commentCreated('/ai x'), issue: jira.issue({}, { key: 'NEW-1' }) }
    const there = await inbound.deliver('trackera', jira.issueCreated(['ai-task']))
    const new_ = await inbound.deliver('trackera', moved)
    expect([after.body.task.id, new_.body.task.id]).toEqual([before.body.task.id, there.body.task.id])
    const issue = await inbound.deliver('trackerb', linear.issueCreated(['ai-task']))
    const comment = await inbound.deliver(
      'trackerb',
      linear.commentCreated('/ai x', { issue: null }, { url: null }),
    )
    expect(comment.body.task.id).toBe(issue.body.task.id)
  })

  it('of another repository under the same number is another', async () => {
    await using inbound = await startInbound()
    await inbound.deliver('codehost', labeled(), { event: 'issues' })
    const other = { ...labeled(), repository: github.repository('acme/other', 2) }
    await inbound.deliver('codehost', other, { event: 'issues' })
    expect(await inbound.total()).toBe(2)
  })
})

describe('an event whose commit is rejected', () => {
  it.each([
    ['before it was applied', false],
    ['after it was applied', true],
  ])('%s is 503, and one task once its sender delivers it again', async (_when, isApplied) => {
    const { state, wrapStore } = rejectingStore()
    await using inbound = await startInbound({ wrapStore })
    const send = () => inbound.deliver('codehost', labeled(), { event: 'issues', delivery: 'a' })
    Object.assign(state, { next: 'inboundEvents', isApplied })
    expect((await send()).status).toBe(503)
    expect([await inbound.total(), await eventCount(inbound)]).toEqual(isApplied ? [1, 1] : [0, 0])
    expect((await send()).body.message).toBe('This event already created a task')
    expect([await inbound.total(), await eventCount(inbound)]).toEqual([1, 1])
  })

  it.each(['inboundClaims', 'tasks'])('with its row of %s leaves nothing behind', async (next) => {
    const { state, wrapStore } = rejectingStore()
    await using inbound = await startInbound({ wrapStore })
    state.next = next
    const first = await inbound.deliver('codehost', labeled(), { event: 'issues', delivery: 'a' })
    expect(first.status).toBe(503)
    // The delivery id is free for another issue, and the issue for another event.
    const other = await inbound.deliver('codehost', labeled({ number: 2 }), {
      event: 'issues',
      delivery: 'a',
    })
    expect(other.body.task.sourceId).toBe('acme/shop#2')
    const again = await inbound.deliver('codehost', labeled({ updated_at: 9 }), { event: 'issues' })
    expect(again.body.message).toBe('This event already created a task')
    expect([await inbound.total(), await eventCount(inbound)]).toEqual([2, 2])
  })
})

describe('what is answered', () => {
  it('is how the task stands, and not what came of it', async () => {
    await using inbound = await startInbound({ background: true })
    const send = () => inbound.deliver('codehost', labeled(), { event: 'issues' })
    const { id } = (await send()).body.task
    expect((await inbound.reaches(id, 'completed')).result).toBeDefined()
    const { task } = (await send()).body
    expect(task).toMatchObject({ id, status: 'completed', createdBy: 'webhook:codehost' })
    for (const field of ['result', 'error', 'usage']) expect(task).not.toHaveProperty(field)
  })
})

const MANY = 50
/** The emulator is slow where everybody wants the same row. */
const SOME = 20

describe('many deliveries at once', () => {
  it('of one event make one task, in one process', async () => {
    await using inbound = await startInbound()
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, n) =>
        inbound.deliver('codehost', labeled(), { event: 'issues', delivery: `d-${n % 2}` }),
      ),
    )
    expect(idsIn(answers).size).toBe(1)
    expect([await inbound.total(), await eventCount(inbound)]).toEqual([1, 1])
  })

  it('of different events of one issue make one task, in one process', async () => {
    await using inbound = await startInbound()
    const answers = await Promise.all(
      Array.from({ length: MANY }, (_, n) =>
        inbound.deliver('codehost', labeled({ updated_at: n }), { event: 'issues', delivery: `d-${n}` }),
      ),
    )
    expect(idsIn(answers).size).toBe(1)
    expect([await inbound.total(), await eventCount(inbound)]).toEqual([1, MANY])
  })
})

if (hasDynoxide())
  describe('many deliveries at once, on DynamoDB', () => {
    let emulator: Emulator | undefined
    let processes: StartedInbound[]
    beforeAll(async () => {
      emulator = await startDynoxide()
      const client = openClient(emulator.endpoint)
      const { again } = await openTables({ client, collections, clock: createFakeClock() })
      const ids = createFakeIds()
      const open = async () => {
        const own = await startInbound({ wrapStore: (): Store => again() })
        own.ids.next = ids.next
        return own
      }
      processes = await Promise.all([open(), open(), open()])
    })
    afterAll(() => emulator?.stop())
    const [first] = [() => processes[0] as StartedInbound]

    it.each([
      ['one event', () => 0],
      ['different events of one issue', (n: number) => n],
    ])('of %s make one task, in many processes', async (_what, version) => {
      const number = version(1) + 1
      const answers = await Promise.all(
        Array.from({ length: SOME }, (_, n) =>
          (processes[n % 3] as StartedInbound).deliver(
            'codehost',
            labeled({ number, updated_at: version(n) }),
            { event: 'issues', delivery: `${number}-${n}` },
          ),
        ),
      )
      const [id, ...others] = idsIn(answers)
      expect(others).toEqual([])
      const { tasks } = await first().tasks.list({ limit: 10 } as never)
      expect(tasks.filter(({ sourceId }) => sourceId === `acme/shop#${number}`)).toMatchObject([{ id }])
    })
  })
else it('finds dynoxide in CI', () => expect(process.env.CI).toBeUndefined())
