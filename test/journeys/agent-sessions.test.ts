import { existsSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, describe, expect, it } from '@jest/globals'
import type { Act } from '../fixtures/acp/agent.ts'
import { until } from './api.ts'
import { connect } from './client.ts'
import { fixtureReads, isOffline, root, serviceNode, startService, temporaryFolder } from './service.ts'

if (isOffline) process.stderr.write('SKIPPED: functions run no programs\n')
const oneProcess = isOffline ? it.skip : it

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const scripted = {
  type: 'scripted-acp',
  command: serviceNode,
  args: [path.join(root, 'test/fixtures/acp/agent.ts')],
  reads: fixtureReads,
}
const env = { DATA_DIR: folder.in('data'), ACP_AGENTS: JSON.stringify([scripted]) }
const script = (...acts: Act[]) => JSON.stringify(acts)

describe('the session of an agent over ACP', () => {
  oneProcess('goes on after a kill of the service, and in the replies to its task', async () => {
    const killed = await startService({ env })
    const prompt = script(
      { act: 'recite' },
      { act: 'write', path: 'a.txt', text: 'new\n' },
      { act: 'waitOnce', path: 'waited', ms: 60_000 },
    )
    const { create } = connect(killed.baseUrl)
    const { id } = await create({ title: 'First', prompt, assignedAgent: 'scripted-acp' })
    const waited = path.join(folder.in('data'), 'workspaces', `${id}-1`, 'work/waited')
    await until(() => existsSync(waited) || undefined)
    await killed.kill9()

    await using service = await startService({ env })
    const { client, untilTask } = connect(service.baseUrl)
    const first = await untilTask(id, 'completed', 'failed')
    expect(first).toMatchObject({
      status: 'completed',
      attempts: 2,
      result: { output: expect.stringContaining('interrupted'), agentSession: 'session_1' },
    })
    // The models of the service are not its.
    expect(await client.listAgentSessions({ query: { taskId: id } })).toMatchObject({
      sessions: [{ provider: 'scripted-acp', model: 'scripted-acp' }],
    })

    const answered = await client.replyToTask({
      params: { id },
      body: { content: script({ act: 'recite' }) },
    })
    const next = await untilTask(answered.task?.id ?? '', 'completed', 'failed')
    expect(next).toMatchObject({
      status: 'completed',
      threadId: id,
      parentId: id,
      result: {
        agentSession: 'session_1',
        thread: { filesChanged: [{ path: 'a.txt' }, { path: 'waited' }] },
      },
    })
    expect(next.result?.output).not.toContain('earlier work')
  })
})
