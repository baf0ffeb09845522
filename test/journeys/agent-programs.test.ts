import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import type { Act } from '../fixtures/acp/agent.ts'
import { until } from './api.ts'
import { connect } from './client.ts'
import { openService } from './opened-service.ts'
import { fixtureReads, isOffline, root, serviceNode } from './service.ts'

const script: Act[] = [
  { act: 'say', text: 'I write.' },
  { act: 'write', path: 'a.txt', text: 'new\n', ask: true },
  { act: 'say', text: 'Done.' },
]
const commandScript = [
  { act: 'write', text: 'hi\n' },
  { act: 'print', text: 'I wrote hello.txt.\n' },
]
const command = {
  type: 'scripted-command',
  command: serviceNode,
  args: [path.join(root, 'test/fixtures/command/agent.ts'), '{prompt}'],
  reads: fixtureReads,
  parse: 'text',
}
const scripted = {
  type: 'scripted-acp',
  name: 'Scripted',
  command: serviceNode,
  args: [path.join(root, 'test/fixtures/acp/agent.ts')],
  reads: fixtureReads,
}

describe('agents that are programs', () => {
  it('are listed with what they need, and work on a task where programs run', async () => {
    await using service = await openService({
      ACP_AGENTS: JSON.stringify([scripted]),
      COMMAND_AGENTS: JSON.stringify([command]),
    })
    const { client, untilTask } = connect(service.baseUrl)
    const { agents } = await client.listAgents()
    const described = (wanted: string) => agents.find(({ type }) => type === wanted)
    expect(described('coding-agent')).toMatchObject({ family: 'builtin', configured: true })
    expect(described('claude-code')).toMatchObject({
      family: 'acp',
      configured: false,
      healthy: false,
      // To install it would not help where no programs run.
      ...(!isOffline && { install: 'npm install -g @agentclientprotocol/claude-agent-acp' }),
    })
    expect(described('scripted-acp')).toMatchObject(
      isOffline
        ? {
            family: 'acp',
            configured: false,
            health: { message: expect.stringContaining('cannot run agent programs') },
          }
        : { family: 'acp', configured: true, healthy: true, version: '1.2.3' },
    )

    expect(described('scripted-command')).toMatchObject(
      isOffline
        ? {
            family: 'command',
            configured: false,
            health: { message: expect.stringContaining('cannot run agent programs') },
          }
        : { family: 'command', configured: true, healthy: true, timeoutMs: 3_600_000 },
    )

    const runs: [string, object, object][] = [
      ['scripted-acp', script, { output: 'Done.', filesChanged: [{ path: 'a.txt' }], steps: 2 }],
      [
        'scripted-command',
        commandScript,
        { output: 'I wrote hello.txt.', filesChanged: [{ path: 'hello.txt' }] },
      ],
    ]
    for (const [assignedAgent, acts, result] of runs) {
      const body = { title: 'Script', prompt: JSON.stringify(acts), assignedAgent }
      const { task } = await client.createTask({ body })
      const ended = await untilTask(task.id, 'completed', 'failed')
      expect(ended).toMatchObject(
        isOffline
          ? { status: 'failed', attempts: 1, error: { code: 'agent_not_configured' } }
          : { status: 'completed', result },
      )
    }
    const health = await client.detailedHealth()
    expect(health.components.adapters.status).toBe('healthy')
  })

  it('wait for a provider whose usage limit is reached, until an admin starts them anyway', async () => {
    // Functions run no programs.
    if (isOffline) return
    let isUsedUp = true
    const provider = createServer((_, response) => {
      response
        .writeHead(isUsedUp ? 429 : 200, {
          ...(isUsedUp && { 'retry-after': '3600' }),
          'content-type': 'application/json',
        })
        .end(JSON.stringify({ error: isUsedUp ? { message: 'All used up' } : undefined }))
    })
    provider.listen(0, '127.0.0.1')
    await once(provider, 'listening')
    await using service = await openService({
      ACP_AGENTS: JSON.stringify([{ ...scripted, provider: 'anthropic' }]),
      ANTHROPIC_API_KEY: 'sk-operator-0123456789',
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    })
    const { client, untilTask } = connect(service.baseUrl)
    const body = {
      title: 'Model',
      prompt: JSON.stringify([{ act: 'model' }]),
      assignedAgent: 'scripted-acp',
    }
    const { task } = await client.createTask({ body })
    const held = await until(async () => {
      const found = await client.getTask({ params: { id: task.id } })
      return found.task.waitingFor === 'hold' ? found.task : undefined
    })
    expect(held).toMatchObject({ status: 'queued', attempts: 0, waiting: { provider: 'anthropic' } })
    const { holds } = await client.listHolds()
    expect(holds).toMatchObject([{ reason: expect.stringContaining('All used up'), waiting: 1 }])
    isUsedUp = false
    await client.removeHold({ params: { id: holds[0]?.id ?? '' } })
    expect(await untilTask(task.id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      attempts: 1,
    })
    provider.closeAllConnections()
    provider.close()
  })
})
