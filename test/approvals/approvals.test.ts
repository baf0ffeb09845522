import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { allowedTools, approvals as approvalRows, approvalSlots } from '../../lib/approvals/rows.ts'
import type { ApprovalRequest as Request } from '../../lib/approvals/schema.ts'
import { APPROVAL_MS, type ApprovalService } from '../../lib/approvals/service.ts'
import { createRecordedApprovals } from '../../lib/composition/security.ts'
import { createMasker } from '../../lib/core/masker.ts'
import type { Principal } from '../../lib/core/principal.ts'
import type { Store } from '../../lib/ports/store.ts'
import { toolCalls } from '../../lib/security/rows.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { storeOpeners } from '../fakes/stores.ts'

const DAY_MS = 86_400_000
const ANN: Principal = { userId: 'user_ann', role: 'user' }
const BOB: Principal = { userId: 'user_bob', role: 'user' }
const ADMIN: Principal = { userId: 'user_admin', role: 'admin' }

const write: Request = {
  tool: 'write_file',
  risk: 'write',
  title: 'write_file a.txt',
  mode: 'ask',
  userId: 'user_ann',
  arguments: { path: 'a.txt', content: 'the canary-1' },
}

let conversations = 0

describe.each(storeOpeners([approvalRows, approvalSlots, allowedTools, toolCalls]))(
  'approvals in %s',
  (_name, open) => {
    let clock: FakeClock
    let opened: Awaited<ReturnType<typeof open>>
    let store: Store
    beforeAll(async () => {
      clock = createFakeClock()
      // Transactions that stand in each other's way wait for a moment, while the time of day stands still.
      opened = await open({ ...clock, after: createClock().after })
      store = opened.store
    })
    afterAll(() => opened?.close())

    let approvals: ApprovalService
    let request: Request
    beforeEach(() => {
      conversations += 1
      const ids = createFakeIds({ now: () => clock.now() + conversations })
      approvals = createRecordedApprovals({
        store,
        clock,
        ids,
        log: createFakeLog(),
        masker: createMasker(['canary-1']),
      })
      request = { ...write, conversationId: `c-${conversations}` }
    })

    const pendingId = async (asked: Parameters<typeof approvals.ask>[0] = request): Promise<string> => {
      const answer = await approvals.ask(asked)
      if (answer.state !== 'pending') throw new Error(`not pending but ${answer.state}`)
      return answer.approvalId
    }
    const outcomeCode = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        ({ code }) => code,
      )

    it.each([
      ['allow-once', 'approved'],
      ['deny', 'denied'],
    ] as const)(
      'give a repeat of the request that used up %s its answer, and ask a person for the next',
      async (decision, state) => {
        const { approvalId = '' } = await approvals.ask(request)
        await approvals.decide(ANN, approvalId, decision)
        const using = { ...request, requestId: 'req_1' }
        const first = await approvals.use(using)
        expect(first).toMatchObject({ state, approvalId })
        expect(await approvals.use(using)).toEqual(first)
        const next = await approvals.use({ ...request, requestId: 'req_2' })
        expect(next.state).toBe('pending')
        expect(next.approvalId).not.toBe(approvalId)
        // The repeat came too late: another call waits under the same binding.
        expect(await approvals.use(using)).toEqual(next)
      },
    )

    it('are asked for once, however often a call asks, and shown with masked arguments', async () => {
      const asked = await Promise.all([1, 2, 3].map(() => approvals.use(request)))
      expect(new Set(asked.map((answer) => JSON.stringify(answer))).size).toBe(1)
      const mine = (await approvals.list(ANN)).filter(
        ({ conversationId }) => conversationId === request.conversationId,
      )
      expect(mine).toEqual([
        {
          id: await pendingId(),
          conversationId: request.conversationId,
          userId: 'user_ann',
          toolName: 'write_file',
          title: 'write_file a.txt',
          securityLevel: 'write',
          status: 'pending',
          params: { path: 'a.txt', content: 'the [masked]' },
          requestedAt: new Date(clock.now()).toISOString(),
          expiresAt: new Date(clock.now() + APPROVAL_MS).toISOString(),
        },
      ])
    })

    it('let one call pass, of many at once', async () => {
      await approvals.decide(ANN, await pendingId(), 'allow-once')
      const answers = await Promise.all([1, 2, 3].map(() => approvals.use(request)))
      expect(answers.map(({ state }) => state).sort()).toEqual(['approved', 'pending', 'pending'])
    })

    it.each([
      ['other arguments', { arguments: { path: 'a.txt', content: 'other' } }],
      ['another tool', { tool: 'edit_file' }],
      ['another user', { userId: 'user_bob' }],
      ['another conversation', { conversationId: 'c-other' }],
    ])('of one call say nothing of %s', async (_what, change) => {
      await approvals.decide(ANN, await pendingId(), 'allow-once')
      expect(await approvals.use({ ...request, ...change })).toMatchObject({ state: 'pending' })
      expect(await approvals.use(request)).toMatchObject({ state: 'approved' })
    })

    it('know arguments by their value, not by the order of their members', async () => {
      await approvals.decide(ANN, await pendingId(), 'allow-once')
      const { path, content } = request.arguments
      expect(await approvals.use({ ...request, arguments: { content, path } })).toMatchObject({
        state: 'approved',
      })
    })

    it('that are denied refuse one call, and the next asks again', async () => {
      const id = await pendingId()
      expect(await approvals.decide(ANN, id, 'deny')).toMatchObject({
        status: 'denied',
        decidedBy: 'user_ann',
      })
      expect(await approvals.ask(request)).toMatchObject({ state: 'denied' })
      expect(await approvals.use(request)).toEqual({
        state: 'denied',
        approvalId: id,
        reason: 'a person denied this call',
      })
      expect(await pendingId()).not.toBe(id)
    })

    it('allow a tool for the whole session, what else waits for it there included', async () => {
      const id = await pendingId()
      const other = { ...request, arguments: { path: 'b.txt' } }
      const otherId = await pendingId(other)
      const elsewhere = { ...request, conversationId: `${request.conversationId}-2` }
      await pendingId(elsewhere)
      await approvals.decide(ANN, id, 'allow-always')
      expect(await outcomeCode(approvals.decide(ANN, otherId, 'deny'))).toBe('approval_decided')
      for (const content of ['1', '2'])
        expect(await approvals.use({ ...request, arguments: { content } })).toEqual({ state: 'approved' })
      expect(await approvals.use({ ...request, tool: 'edit_file' })).toMatchObject({ state: 'pending' })
      expect(await approvals.use(elsewhere)).toMatchObject({ state: 'pending' })
      expect(await approvals.forget(request, 2)).toBe(2)
      expect(await approvals.forget(request, 10)).toBeLessThan(10)
      expect(await approvals.use({ ...request, arguments: { content: '1' } })).toMatchObject({
        state: 'pending',
      })
    })

    it('expire after 10 minutes, which denies', async () => {
      const [swept, found, late] = [request, { ...request, tool: 'git' }, { ...request, tool: 'run_command' }]
      const ids = [await pendingId(swept), await pendingId(found), await pendingId(late)]
      clock.advance(APPROVAL_MS - 1)
      await approvals.settleDue()
      expect(await pendingId(swept)).toBe(ids[0])
      clock.advance(1)
      // Neither a caller that comes too late nor a call that looks has to wait for the sweep.
      expect(await outcomeCode(approvals.decide(ANN, ids[2] ?? '', 'allow-once'))).toBe('approval_expired')
      expect(await approvals.use(found)).toMatchObject({
        state: 'denied',
        reason: 'it was not decided in time',
      })
      expect(await approvals.settleDue()).toBeGreaterThan(0)
      expect(await approvals.settleDue()).toBe(0)
      expect(await approvals.list(ANN)).toEqual([])
      for (const one of [swept, late]) expect(await approvals.use(one)).toMatchObject({ state: 'denied' })
    })

    it('of a task wait for years, and stay what they are', async () => {
      const { conversationId: _, ...rest } = request
      const task = { ...rest, taskId: `task-${conversations}` }
      const id = await pendingId(task)
      clock.advance(3 * 365 * DAY_MS)
      await approvals.settleDue()
      const [listed] = (await approvals.list(ANN)).filter((one) => one.id === id)
      expect(listed).toMatchObject({ status: 'pending', params: { path: 'a.txt' } })
      expect(Object.keys(listed ?? {})).not.toContain('expiresAt')
      expect(await pendingId(task)).toBe(id)
      expect([await approvals.stateOfAll([id]), await approvals.firstExpiry([id])]).toEqual([
        'pending',
        undefined,
      ])
      await approvals.decide(ANN, id, 'allow-once')
      expect(await approvals.stateOfAll([id])).toBe('decided')
      expect(await approvals.use(task)).toMatchObject({ state: 'approved', approvalId: id })
    })

    it.each([
      ['a task', 60_000, 'pending'],
      ['a conversation', 1, 'denied'],
    ])(
      'of %s with a time of %d ms expire after it, and the next such call then is %s',
      async (of, ttlMs, next) => {
        const { conversationId, ...rest } = request
        const owner = of === 'a task' ? { taskId: `task-${conversations}` } : { conversationId }
        const asked: Request = { ...rest, ...(owner as object), ttlMs }
        const id = await pendingId(asked)
        const other = await pendingId({ ...asked, arguments: {}, ttlMs: 0 })
        const expiresAt = new Date(clock.now() + ttlMs).toISOString()
        expect(await approvals.firstExpiry([other, id])).toBe(expiresAt)
        clock.advance(ttlMs - 1)
        expect(await approvals.stateOfAll([other, id])).toBe('pending')
        clock.advance(1)
        expect(await approvals.stateOfAll([other, id])).toBe('expired')
        expect(await approvals.use(asked)).toMatchObject({ state: next })
      },
    )

    it('are removed 30 days after their end, and no earlier', async () => {
      const id = await pendingId()
      await approvals.decide(ANN, id, 'deny')
      clock.advance(30 * DAY_MS - 1)
      await approvals.settleDue()
      expect(await store.get(approvalRows, id)).toMatchObject({ status: 'denied' })
      clock.advance(1)
      while ((await approvals.settleDue()) > 0);
      expect(await store.get(approvalRows, id)).toBeUndefined()
    })

    it('of tasks that have ended meanwhile are taken back, those of other tasks are not', async () => {
      const { conversationId: _, ...rest } = request
      const [ended, running] = [`ended-${conversations}`, `running-${conversations}`]
      const ids = [await pendingId({ ...rest, taskId: ended }), await pendingId({ ...rest, taskId: running })]
      await approvals.withdrawLeft(async (taskId) => taskId === ended)
      const states = await Promise.all(ids.map(async (id) => (await store.get(approvalRows, id))?.status))
      expect(states).toEqual(['denied', 'pending'])
    })

    it('given and never used lapse within a day', async () => {
      await approvals.decide(ANN, await pendingId(), 'allow-once')
      clock.advance(APPROVAL_MS + DAY_MS)
      expect(await approvals.use(request)).toMatchObject({ state: 'pending' })
    })

    it('are decided once, also by two at once', async () => {
      const id = await pendingId()
      const codes = await Promise.all([
        outcomeCode(approvals.decide(ANN, id, 'allow-once')),
        outcomeCode(approvals.decide(ANN, id, 'deny')),
      ])
      expect(codes.sort()).toEqual(['approval_decided', 'done'])
      const again = await pendingId({ ...request, tool: 'git' })
      const both = [1, 2].map(() => outcomeCode(approvals.decide(ANN, again, 'allow-always')))
      expect((await Promise.all(both)).sort()).toEqual(['approval_decided', 'done'])
    })

    it('that were always given are listed and taken back: by their user, those of tasks by admins as well', async () => {
      const { conversationId: _, ...rest } = request
      const ofTask = { ...rest, taskId: `task-${conversations}` }
      const mine = await pendingId()
      await approvals.decide(ANN, mine, 'allow-always')
      clock.advance(1)
      const tasks = await pendingId(ofTask)
      await approvals.decide(ADMIN, tasks, 'allow-always')
      const allowedIds = async (as: Principal) =>
        (await approvals.listAllowed(as)).map(({ id }) => id).filter((id) => id === mine || id === tasks)
      expect([await allowedIds(ANN), await allowedIds(ADMIN), await allowedIds(BOB)]).toEqual([
        [tasks, mine],
        [tasks],
        [],
      ])
      expect((await approvals.listAllowed(ADMIN)).find(({ id }) => id === tasks)).toEqual({
        id: tasks,
        toolName: 'write_file',
        userId: 'user_ann',
        taskId: ofTask.taskId,
        allowedAt: new Date(clock.now()).toISOString(),
        expiresAt: new Date(clock.now() + 90 * DAY_MS).toISOString(),
      })
      expect(await outcomeCode(approvals.disallow(BOB, mine))).toBe('allowed_tool_not_found')
      expect(await outcomeCode(approvals.disallow(ADMIN, mine))).toBe('allowed_tool_not_found')
      expect(await approvals.use({ ...ofTask, arguments: {} })).toEqual({ state: 'approved' })
      await approvals.disallow(ADMIN, tasks)
      await approvals.disallow(ANN, mine)
      expect(await outcomeCode(approvals.disallow(ANN, mine))).toBe('allowed_tool_not_found')
      expect([await allowedIds(ANN), await allowedIds(ADMIN)]).toEqual([[], []])
      expect(await approvals.use({ ...ofTask, arguments: {} })).toMatchObject({ state: 'pending' })
    })

    it('that nothing waits for any more are denied, their calls on record, and the same call asks anew', async () => {
      const task = { ...write, taskId: `task-${conversations}` }
      const ids = [await pendingId(task), await pendingId({ ...task, arguments: { path: 'b.txt' } })]
      await approvals.decide(ANN, ids[1] ?? '', 'allow-once')
      const { taskId, userId } = task
      for (let times = 0; times < 2; times++) await approvals.withdrawEnded({ taskId, userId })
      expect(await outcomeCode(approvals.decide(ANN, ids[0] ?? '', 'allow-once'))).toBe('approval_decided')
      const { rows } = await store.page(toolCalls, {
        index: 'ofSession',
        is: taskId,
        order: 'asc',
        limit: 10,
        detail: true,
      })
      expect(rows).toMatchObject([
        {
          approvalId: ids[0],
          tool: 'write_file',
          mode: 'ask',
          decision: 'denied',
          failed: true,
          userId,
          taskId,
          result: 'Not made: its task has ended',
        },
      ])
      expect(JSON.stringify(rows)).not.toContain('canary-1')
      expect(await pendingId(task)).not.toBe(ids[0])
    })

    it('belong to their user; those of tasks to admins as well', async () => {
      const mine = await pendingId()
      const { conversationId: _, ...rest } = request
      const ofTask = await pendingId({ ...rest, taskId: `task-${conversations}` })
      expect(await outcomeCode(approvals.decide(BOB, mine, 'allow-once'))).toBe('approval_not_found')
      expect(await outcomeCode(approvals.decide(ADMIN, mine, 'allow-once'))).toBe('approval_not_found')
      expect(await outcomeCode(approvals.decide(BOB, ofTask, 'allow-once'))).toBe('approval_not_found')
      expect((await approvals.list(BOB)).map(({ id }) => id)).not.toContain(mine)
      const seen = (await approvals.list(ADMIN)).map(({ id }) => id)
      expect([seen.includes(mine), seen.includes(ofTask)]).toEqual([false, true])
      await approvals.decide(ADMIN, ofTask, 'allow-once')
      await approvals.decide(ANN, mine, 'allow-once')
    })
  },
)
