import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import * as path from 'node:path'
import { afterEach, describe, expect, it } from '@jest/globals'
import { onLoopback } from '../../offline/loopback.ts'
import { markedProcesses } from '../crash/marked-processes.ts'
import type { Act } from '../fixtures/acp/agent.ts'
import { until } from '../journeys/api.ts'
import { connect, eventTypes } from '../journeys/client.ts'
import { openService } from '../journeys/opened-service.ts'
import {
  clockAhead,
  fixtureReads,
  launchService,
  root,
  serviceNode,
  temporaryFolder,
} from '../journeys/service.ts'
import { type Fate, openNetwork } from './network.ts'
import { launchRunner } from './program.ts'

const HOUR_MS = 3_600_000
const TIMEOUT_MS = 120_000
/** Shorter than the faults that are to outlast it, or longer than a test. */
const SHORT_LEASE = { TASK_LEASE_MS: '3000' }
const LONG_LEASE = { TASK_LEASE_MS: '60000' }
const SERVICE = { WORKER: 'off', QUEUE_RETRY_BACKOFF_MS: '1' }

const scripted = (mark: string) => ({
  type: 'scripted-acp',
  command: serviceNode,
  args: [path.join(root, 'test/fixtures/acp/agent.ts')],
  env: { SCRIPTED_MARK: mark },
  reads: fixtureReads,
})
/** It runs the prompt as a shell does. */
const shell = { type: 'shell', command: '/bin/sh', args: ['-c', '{prompt}'], parse: 'text' }

const opened: { [Symbol.asyncDispose](): Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]()
})
const keep = <T extends { [Symbol.asyncDispose](): Promise<void> }>(one: T): T => {
  opened.push(one)
  return one
}

let number = 0
/** A runner in a process of its own, whose label is its name, with a network of its own. */
const openRunner = async (
  address: () => string,
  given: { label?: string; token?: string; name?: string; nodeArgs?: string[]; folder?: string } = {},
) => {
  number += 1
  const { name = `runner-${number}`, label = name, nodeArgs } = given
  const { client } = connect(address())
  const { token = (await client.createToken({ body: { name, scopes: ['runner'] } })).token } = given
  const own = temporaryFolder()
  const folder = given.folder ?? own.in('runner')
  const mark = `${name}-${process.pid}`
  /** Tells of a request, by its last word, and makes it fail; and of an answer. */
  const hear = {
    asked: (_word: string): Fate | undefined => undefined,
    answered: (_word: string): void => undefined,
  }
  const wordOf = (url: string) => url.split('/').at(-1) ?? ''
  const network = await openNetwork(address, {
    asked: (url) => hear.asked(wordOf(url)),
    answered: (url, status) => void (status === 200 && hear.answered(wordOf(url))),
  })
  const launch = () =>
    launchRunner({
      url: network.url,
      token,
      name,
      folder,
      args: ['--labels', label],
      env: { ACP_AGENTS: JSON.stringify([scripted(mark)]), COMMAND_AGENTS: JSON.stringify([shell]) },
      ...(nodeArgs && { nodeArgs }),
    })
  let program = launch()
  const isOnline = async () => {
    const { runners } = await client.listRunners()
    return runners.some((runner) => runner.name === name && runner.status === 'online') || undefined
  }
  await until(isOnline)
  const runner = {
    name,
    token,
    folder,
    hear,
    network,
    get program() {
      return program
    },
    start: () => {
      program = launch()
    },
    outcomes: () => readdirSync(path.join(folder, 'state', 'outcomes')),
    agents: () => markedProcesses(`SCRIPTED_MARK=${mark}`),
    /** Resolves when a request has come that has this word. */
    untilAsked: (word: string, fate?: Fate) =>
      new Promise<void>((resolve) => {
        hear.asked = (heard) => {
          if (heard !== word) return undefined
          hear.asked = () => undefined
          resolve()
          return fate
        }
      }),
    untilAnswered: (word: string, act: () => void = () => undefined) =>
      new Promise<void>((resolve) => {
        hear.answered = (heard) => {
          if (heard !== word) return
          hear.answered = () => undefined
          act()
          resolve()
        }
      }),
    async [Symbol.asyncDispose]() {
      await program.kill9()
      await network[Symbol.asyncDispose]()
      own[Symbol.dispose]()
    },
  }
  return keep(runner)
}

const openWorld = async (settings: Record<string, string>) => {
  const service = keep(await openService({ ...SERVICE, ...settings }))
  return { service, ...connect(service.baseUrl), runner: () => openRunner(() => service.baseUrl) }
}
type World = Awaited<ReturnType<typeof openWorld>>

const scriptTask = (label: string, acts: Act[]) => ({
  title: 'Script',
  prompt: JSON.stringify(acts),
  assignedAgent: 'scripted-acp',
  runsOn: [label],
  metadata: { securityMode: 'ask' as const },
})
const SAYS: Act[] = [{ act: 'say', text: 'Done.' }]
/** The first attempt waits, a later one in the same workspace does not. */
const WAITS_ONCE: Act[] = [{ act: 'waitOnce', path: 'waited', ms: HOUR_MS }, ...SAYS]
const ASKS: Act[] = [{ act: 'write', path: 'a.txt', text: 'new\n', ask: true }, ...SAYS]

const untilApproval = ({ client }: World, taskId: string) =>
  until(async () => (await client.listApprovals()).approvals.find((approval) => approval.taskId === taskId))
/** Resolves once the service has taken the task back. */
const untilRecovered = ({ events }: World, id: string) =>
  until(async () => (eventTypes(await events(id)).includes('recovered') ? true : undefined))
const isGone = async (runner: { agents(): unknown[] }) => (runner.agents().length === 0 ? true : undefined)

describe('a runner that is without a network for longer than its lease', () => {
  type Runner = Awaited<ReturnType<typeof openRunner>>
  const phases: [
    phase: string,
    acts: Act[],
    untilPhase: (world: World, runner: Runner, id: string) => Promise<unknown>,
  ][] = [
    ['has just claimed', SAYS, (_, { untilAnswered, network }) => untilAnswered('claims', network.cut)],
    ['runs', WAITS_ONCE, (_, { agents }) => until(async () => (agents().length > 0 ? true : undefined))],
    ['waits for a person', ASKS, (world, _, id) => untilApproval(world, id)],
    ['says how its run ended', SAYS, (_, { untilAsked }) => untilAsked('outcome', 'unsent')],
  ]
  it.each(phases)(
    'and that %s goes on afterwards: its late end is refused, and the next attempt ends the task',
    async (_phase, acts, untilPhase) => {
      const world = await openWorld(SHORT_LEASE)
      const { client, create, task, untilTask } = world
      const runner = await world.runner()
      const isThere = untilPhase.length < 3 ? untilPhase(world, runner, '') : undefined
      const { id } = await create(scriptTask(runner.name, acts))
      await (isThere ?? untilPhase(world, runner, id))
      runner.network.cut()
      await untilRecovered(world, id)
      expect(await task(id)).toMatchObject({ status: 'queued' })
      runner.network.mend()
      if (acts === ASKS) {
        const approval = await until(async () => {
          const { waitingFor, attempts } = await task(id)
          return waitingFor === 'approval' && attempts === 2 ? untilApproval(world, id) : undefined
        })
        await client.decideApproval({ params: { id: approval.id }, body: { decision: 'allow-once' } })
      }
      expect(await untilTask(id, 'completed', 'failed')).toMatchObject({
        status: 'completed',
        attempts: 2,
        result: { output: 'Done.' },
      })
      await until(() => isGone(runner))
      expect(runner.outcomes()).toEqual([])
    },
    TIMEOUT_MS,
  )
})

describe('an answer of the service that gets lost', () => {
  it.each([
    ['of a claim', 'claims', SAYS],
    ['of events', 'events', SAYS],
    ['of the request for an approval', 'approvals', ASKS],
    ['of a wait', 'pause', ASKS],
    ['of the end of a wait', 'resume', ASKS],
    ['of an outcome', 'outcome', SAYS],
  ] as const)(
    '%s changes nothing for the task',
    async (_which, word, acts) => {
      const world = await openWorld(LONG_LEASE)
      const { client, create, untilTask, events } = world
      const runner = await world.runner()
      const lost =
        word === 'claims'
          ? runner.untilAnswered('claims', runner.network.cut)
          : runner.untilAsked(word, 'unanswered')
      const { id } = await create(scriptTask(runner.name, [...acts]))
      if (word === 'claims') {
        await lost
        runner.network.mend()
      }
      if (acts === ASKS) {
        const approval = await untilApproval(world, id)
        // The decision is used up by a request whose answer gets lost, too.
        if (word === 'approvals') {
          await lost
          void runner.untilAsked('approvals', 'unanswered')
        }
        await client.decideApproval({ params: { id: approval.id }, body: { decision: 'allow-once' } })
      }
      expect(await untilTask(id, 'completed', 'failed')).toMatchObject({
        status: 'completed',
        attempts: 1,
        result: { output: 'Done.' },
      })
      await lost
      const codes = (await events(id)).flatMap(({ metadata }) => metadata?.code ?? [])
      // A decision may come before the repeat of its request.
      if (acts === ASKS && word !== 'approvals') expect(codes).toEqual(['waiting_for_approval', 'resumed'])
      expect((await client.listApprovals()).approvals).toEqual([])
      await until(async () => (runner.outcomes().length === 0 ? true : undefined))
    },
    TIMEOUT_MS,
  )
})

describe('a runner that is killed', () => {
  it(
    'leaves the outcome of its run on its disk, and its next start completes the task with it',
    async () => {
      const world = await openWorld(LONG_LEASE)
      const runner = await world.runner()
      const isAsked = runner.untilAsked('outcome', 'unsent')
      const { id } = await world.create(scriptTask(runner.name, SAYS))
      await isAsked
      runner.network.cut()
      await runner.program.kill9()
      expect(runner.outcomes()).toEqual([`${id}.1.json`])
      runner.network.mend()
      runner.start()
      expect(await world.untilTask(id, 'completed', 'failed')).toMatchObject({
        status: 'completed',
        attempts: 1,
        result: { output: 'Done.' },
      })
      await until(async () => (runner.outcomes().length === 0 ? true : undefined))
      // A claim is not run again.
      expect(eventTypes(await world.events(id)).filter((type) => type === 'started')).toHaveLength(1)
    },
    TIMEOUT_MS,
  )

  it(
    'by a stop while a claim is on its way to it gives the task back at once, without an attempt',
    async () => {
      const world = await openWorld(LONG_LEASE)
      const runner = await world.runner()
      const isStopped = runner.untilAnswered('claims', () => runner.program.kill('SIGTERM'))
      const { id } = await world.create(scriptTask(runner.name, WAITS_ONCE))
      await isStopped
      expect(await runner.program.exited).toMatchObject({ code: 0 })
      expect(await world.task(id)).toMatchObject({ status: 'queued', attempts: 0 })
      expect(runner.agents()).toEqual([])
    },
    TIMEOUT_MS,
  )

  it(
    'by a stop while the service is away ends nevertheless, and keeps what it has to say',
    async () => {
      const world = await openWorld(LONG_LEASE)
      const runner = await world.runner()
      const { id } = await world.create(scriptTask(runner.name, WAITS_ONCE))
      await until(async () => (runner.agents().length > 0 ? true : undefined))
      runner.network.cut()
      runner.program.kill('SIGTERM')
      expect(await runner.program.exited).toMatchObject({ code: 0 })
      expect(runner.agents()).toEqual([])
      expect(runner.outcomes()).toEqual([`${id}.1.json`])
    },
    TIMEOUT_MS,
  )
})

describe('a runner that hangs', () => {
  it(
    'loses its task to another one, and stops its run when it goes on',
    async () => {
      const world = await openWorld(SHORT_LEASE)
      const first = await world.runner()
      const { id } = await world.create(scriptTask(first.name, WAITS_ONCE))
      await until(async () => (first.agents().length > 0 ? true : undefined))
      first.program.kill('SIGSTOP')
      const second = await openRunner(() => world.service.baseUrl, { label: first.name })
      await until(async () => ((await world.task(id)).runner === second.name ? true : undefined))
      first.program.kill('SIGCONT')
      await until(() => isGone(first))
      expect(await world.task(id)).toMatchObject({ status: 'in_progress', runner: second.name, attempts: 2 })
      await world.client.cancelTask({ params: { id } })
      await until(() => isGone(second))
      await until(async () => (first.outcomes().length + second.outcomes().length === 0 ? true : undefined))
    },
    TIMEOUT_MS,
  )
})

describe('a runner whose service refuses it', () => {
  it(
    'ends when its token is revoked, says why, stops its run and keeps its outcome',
    async () => {
      const world = await openWorld(LONG_LEASE)
      const runner = await world.runner()
      const { id } = await world.create(scriptTask(runner.name, WAITS_ONCE))
      await until(async () => (runner.agents().length > 0 ? true : undefined))
      const { tokens } = await world.client.listTokens()
      for (const token of tokens) await world.client.revokeToken({ params: { id: token.id } })
      const { code, stderr } = await runner.program.exited
      expect(code).toBe(1)
      expect(stderr).toContain('The service rejected the runner: This API token is invalid')
      expect(runner.agents()).toEqual([])
      expect(runner.outcomes()).toEqual([`${id}.1.json`])
    },
    TIMEOUT_MS,
  )

  it(
    'ends when another process has registered in its name, which runs the tasks from then on',
    async () => {
      const world = await openWorld(LONG_LEASE)
      const first = await world.runner()
      const { name, token } = first
      const second = await openRunner(() => world.service.baseUrl, { name, token })
      const { code, stderr } = await first.program.exited
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`Another process is registered as the runner ${name}`),
      ])
      const { id } = await world.create(scriptTask(name, SAYS))
      expect(await world.untilTask(id, 'completed', 'failed')).toMatchObject({
        status: 'completed',
        attempts: 1,
      })
      expect(second.agents()).toEqual([])
    },
    TIMEOUT_MS,
  )

  it.each([
    [
      'of another protocol',
      400,
      { code: 'runner_protocol', error: 'The runner is older: update the runner' },
    ],
    ['without runners', 404, { code: 'route_not_found', error: 'There is nothing here' }],
  ])(
    'ends at a service %s, and says what it says',
    async (_which, status, answer) => {
      const server = createServer((_, response) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
      })
      const { url, stop } = await onLoopback(server)
      const folder = temporaryFolder()
      const token = `svc_${'0'.repeat(26)}_${randomBytes(24).toString('hex')}`
      const { code, stderr } = await launchRunner({ url, token, name: 'new', folder: folder.path }).exited
      expect([code, stderr]).toEqual([1, expect.stringContaining(answer.error)])
      await stop()
      folder[Symbol.dispose]()
    },
    TIMEOUT_MS,
  )
})

describe('a service under several runners', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'restarts after %s while their runs go on, and recovers none of them',
    async (signal) => {
      const folder = temporaryFolder()
      const env = {
        ...SERVICE,
        TASK_LEASE_MS: '10000',
        DATA_DIR: folder.in('data'),
        MEMORY_DIR: folder.in('memory'),
      }
      const launch = () => keep(launchService({ env, mostMs: TIMEOUT_MS, endsWithParent: true }))
      let service = launch()
      let address = await service.ready()
      const runners = await Promise.all([1, 2, 3].map(() => openRunner(() => address)))
      const ids: string[] = []
      for (const { name } of runners)
        for (const _ of [1, 2])
          ids.push(
            (await connect(address).create(scriptTask(name, [{ act: 'wait', ms: 6_000 }, ...SAYS]))).id,
          )
      await until(async () => (runners.every(({ agents }) => agents().length >= 2) ? true : undefined))
      service.kill(signal)
      await service.exited
      service = launch()
      address = await service.ready()
      const { untilTask, events } = connect(address)
      for (const id of ids) {
        expect(await untilTask(id, 'completed', 'failed')).toMatchObject({ status: 'completed', attempts: 1 })
        expect(eventTypes(await events(id))).not.toContain('recovered')
      }
      opened.push({ [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() })
    },
    TIMEOUT_MS,
  )
})

describe('a runner whose clock is two hours beside that of its service', () => {
  it.each([2 * HOUR_MS, -2 * HOUR_MS])(
    'by %s ms writes times and ids that sort with those of the service',
    async (ms) => {
      const { service, create, untilTask, client } = await openWorld(LONG_LEASE)
      const runner = await openRunner(() => service.baseUrl, { nodeArgs: clockAhead(ms) })
      const startedAt = Date.now()
      const { id } = await create(
        scriptTask(runner.name, [{ act: 'write', path: 'a.txt', text: 'new\n' }, ...SAYS]),
      )
      await untilTask(id, 'completed', 'failed')
      const { events } = await client.taskEvents({ params: { id } })
      const types = eventTypes(events)
      expect([types[0], types.at(-1)]).toEqual(['created', 'completed'])
      expect(types.indexOf('progress')).toBeGreaterThan(types.indexOf('started'))
      const { sessions } = await client.listAgentSessions({ query: { taskId: id } })
      const times = [...events, ...sessions.map(({ createdAt }) => ({ timestamp: createdAt }))].map(
        ({ timestamp }) => Date.parse(timestamp),
      )
      expect(times.filter((time) => Math.abs(time - startedAt) > HOUR_MS)).toEqual([])
    },
    TIMEOUT_MS,
  )
})

describe('a program in the sandbox of a runner', () => {
  it(
    'finds the token neither in its environment, nor in processes, nor in files',
    async () => {
      const world = await openWorld(LONG_LEASE)
      const runner = await world.runner()
      const pattern = "'svc_[0-9A-Z]{26}_[0-9a-f]{48}'"
      const search = [
        `env | grep -aoE ${pattern}`,
        `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | grep -aoE ${pattern}`,
        `grep -raohE ${pattern} . .. "$HOME" /tmp /etc /run /var /root ${runner.folder} 2>/dev/null`,
        'echo searched',
      ].join('; ')
      const { id } = await world.create({
        title: 'Search',
        prompt: search,
        assignedAgent: 'shell',
        runsOn: [runner.name],
      })
      const { result } = await world.untilTask(id, 'completed', 'failed')
      expect(result?.output?.trim()).toBe('searched')
      // Outside of the sandbox the same look finds it.
      expect(readFileSync(`/proc/${runner.program.pid}/environ`, 'utf8')).toContain(runner.token)
    },
    TIMEOUT_MS,
  )
})

describe('an outcome of 1 GB', () => {
  it(
    'is refused before it is read, and costs the service no memory',
    async () => {
      const folder = temporaryFolder()
      const env = { ...SERVICE, DATA_DIR: folder.in('data'), MEMORY_DIR: folder.in('memory') }
      const service = keep(launchService({ env, mostMs: TIMEOUT_MS, endsWithParent: true }))
      const url = await service.ready()
      const { token } = await connect(url).client.createToken({ body: { name: 'large', scopes: ['runner'] } })
      const residentMb = () =>
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1_000
      const before = residentMb()
      const sending = request(`${url}/api/runners/rnr_${'0'.repeat(26)}/claims/task_1/outcome`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      })
      sending.on('error', () => undefined)
      const answered = once(sending, 'response')
      const piece = Buffer.alloc(1_000_000, '[')
      let isOver = false
      void answered.then(() => {
        isOver = true
      })
      for (let sent = 0; sent < 1_000 && !isOver && !sending.destroyed; sent += 1)
        if (!sending.write(piece))
          await Promise.race([once(sending, 'drain'), answered, once(sending, 'close')])
      const [response] = await answered
      expect(response.statusCode).toBe(413)
      sending.destroy()
      expect(residentMb() - before).toBeLessThan(150)
      opened.push({ [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() })
    },
    TIMEOUT_MS,
  )
})
