import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { markedProcesses } from '../crash/marked-processes.ts'
import { startCodeHost } from '../fakes/code-host.ts'
import type { Act } from '../fixtures/acp/agent.ts'
import { createBrowser } from '../oauth/browser.ts'
import { startProvider } from '../oauth/provider.ts'
import { launchRunner } from '../runners/program.ts'
import { until } from './api.ts'
import { connect } from './client.ts'
import { fixtureReads, isOffline, root, serviceNode, startService, temporaryFolder } from './service.ts'

if (isOffline) process.stderr.write('SKIPPED: the runner is tried with the service of one process\n')
const oneProcess = isOffline ? it.skip : it

const NOBODY = 65_534
/** As root, the runner is the process of another user than the service. */
const isRoot = process.getuid?.() === 0
const asNobody = {
  node: 'setpriv',
  nodeArgs: [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', serviceNode],
}
const MARK = `SCRIPTED_MARK=journey-${process.pid}`

/** The events of a session, as a reader follows them. */
const follow = async (url: string, headers: Record<string, string>) => {
  const events: { type: string }[] = []
  const leave = new AbortController()
  const response = await fetch(url, { headers, signal: leave.signal })
  const read = async () => {
    let text = ''
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece
      const frames = text.split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const [, type] = /^event: (.+)$/m.exec(frame) ?? []
        const [, data] = /^data: (.+)$/m.exec(frame) ?? []
        events.push({ type: type ?? JSON.parse(data ?? '{}').type })
      }
    }
  }
  const ended = read().catch(() => undefined)
  return { events, ended, leave: () => leave.abort() }
}

describe('a runner of another user', () => {
  oneProcess(
    'works for a service with sign-in: approval, diff, pull request, reply, cost and cancel',
    async () => {
      using folder = temporaryFolder()
      await using provider = await startProvider()
      await using host = await startCodeHost(folder.path)
      host.people = provider.env().CODEHOST_API_URL
      const codeHost = {
        CODEHOST_API_URL: `${host.origin}/api/v3`,
        CODEHOST_GIT_URL: host.origin,
        GIT_SSL_CAINFO: host.caFile,
        NODE_EXTRA_CA_CERTS: host.caFile,
        OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
      }
      const env = {
        ...provider.env(),
        ...codeHost,
        DATA_DIR: folder.in('data'),
        MEMORY_DIR: folder.in('memory'),
        AUTH_MODE: 'cloud',
        REGISTRATION_MODE: 'open',
        WORKER: 'off',
      }
      await using service = await startService({ env })
      const { baseUrl } = service
      provider.register(baseUrl)
      const browser = createBrowser(baseUrl, provider)
      await browser.signIn('codehost')
      const { authorization = '' } = host.heard.find(({ path: heard }) => heard === '/api/v3/user') ?? {}
      host.tokens.set(authorization.replace('Bearer ', ''), {
        scopes: 'repo, user:email',
        mayRead: true,
        mayPush: true,
      })
      const cookie = [...browser.jar].map(([name, { value }]) => `${name}=${value}`).join('; ')
      const { client, create, task, untilTask } = connect(baseUrl, { cookie })

      chmodSync(folder.path, 0o755)
      const own = folder.in('runner')
      mkdirSync(own)
      if (isRoot) chownSync(own, NOBODY, NOBODY)
      const { token } = await client.createToken({ body: { name: 'build-1', scopes: ['runner'] } })
      const scripted = {
        type: 'scripted-acp',
        command: serviceNode,
        args: [path.join(root, 'test/fixtures/acp/agent.ts')],
        env: { SCRIPTED_MARK: `journey-${process.pid}` },
        reads: fixtureReads,
      }
      await using runner = launchRunner({
        url: baseUrl,
        token,
        name: 'build-1',
        folder: path.join(own, 'state'),
        args: ['--labels', 'linux'],
        env: {
          ...codeHost,
          HOME: own,
          TMPDIR: own,
          ACP_AGENTS: JSON.stringify([scripted]),
          AGENT_SANDBOX: 'require',
        },
        ...(isRoot && asNobody),
      })
      await until(async () => {
        const { runners } = await client.listRunners()
        return runners.some(({ status }) => status === 'online') || undefined
      })

      const script = (...acts: Act[]) => JSON.stringify(acts)
      const asked = {
        title: 'Greet everybody',
        prompt: script(
          { act: 'say', text: 'I change the greeting.' },
          { act: 'cost', usd: 0.25 },
          { act: 'write', path: 'greeting.txt', text: 'hello\neverybody\n', ask: true },
          { act: 'say', text: 'Done.' },
        ),
        assignedAgent: 'scripted-acp',
        repository: 'owner/repo',
        runsOn: ['linux'],
        metadata: { securityMode: 'ask' as const },
      }
      const untilApproval = (taskId: string) =>
        until(async () =>
          (await client.listApprovals()).approvals.find((approval) => approval.taskId === taskId),
        )
      const { id } = await create(asked)
      const approval = await untilApproval(id)
      const waiting = await until(async () => {
        const found = await task(id)
        return found.waitingFor === 'approval' ? found : undefined
      })
      expect(waiting).toMatchObject({ status: 'in_progress', runner: 'build-1' })
      const { id: sessionId } = await until(
        async () => (await client.listAgentSessions({ query: { taskId: id } })).sessions[0],
      )
      const session = await follow(`${baseUrl}/api/chat/sessions/${sessionId}/events`, { cookie })
      // The session is read while its agent runs elsewhere.
      await until(() => session.events.some(({ type }) => type === 'content') || undefined)
      await client.decideApproval({ params: { id: approval.id }, body: { decision: 'allow-once' } })
      const done = await untilTask(id, 'completed', 'failed')
      expect(done).toMatchObject({
        status: 'completed',
        attempts: 1,
        cost: { usd: 0.25 },
        result: {
          filesChanged: [{ path: 'greeting.txt' }],
          diff: expect.stringContaining('+everybody'),
          agentSession: 'session_1',
          published: { status: 'published', branch: `agent/${id}`, pullRequest: { number: 1 } },
        },
      })
      expect(host.git('show', `agent/${id}:greeting.txt`)).toBe('hello\neverybody')
      await until(() => session.events.some(({ type }) => type === 'complete') || undefined)
      session.leave()
      await session.ended

      const { task: reply } = await client.replyToTask({
        params: { id },
        body: {
          content: script(
            { act: 'write', path: 'second.txt', text: 'more\n' },
            { act: 'say', text: 'More.' },
          ),
        },
      })
      const next = await untilTask(reply?.id ?? '', 'completed', 'failed')
      expect(next).toMatchObject({
        status: 'completed',
        threadId: id,
        parentId: id,
        runner: 'build-1',
        result: { agentSession: 'session_1', published: { pullRequest: { number: 1 } } },
      })
      expect(host.git('show', `agent/${id}:second.txt`)).toBe('more')
      expect(host.pulls).toHaveLength(1)

      const { repository: _, ...elsewhere } = asked
      const prompt = script({ act: 'leave', text: 'sleep 3600' }, { act: 'wait', ms: 3_600_000 })
      const { id: cancelled } = await create({ ...elsewhere, prompt })
      await until(() => markedProcesses(MARK).length >= 2 || undefined)
      const cancelledAt = performance.now()
      await client.cancelTask({ params: { id: cancelled } })
      await until(() => markedProcesses(MARK).length === 0 || undefined)
      process.stderr.write(
        `cancelled: its processes were gone after ${Math.round(performance.now() - cancelledAt)} ms\n`,
      )
      expect(await task(cancelled)).toMatchObject({ status: 'cancelled' })
      expect(await runner.stop()).toMatchObject({ code: 0 })
      expect(runner.output()).not.toContain('svc_')
    },
  )
})
