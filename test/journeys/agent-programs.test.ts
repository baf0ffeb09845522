import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import type { Act } from '../fixtures/acp/agent.ts'
import { connect } from './client.ts'
import { openService } from './opened-service.ts'
import { isOffline, root, serviceNode } from './service.ts'

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
  reads: [root],
  parse: 'text',
}
const scripted = {
  type: 'scripted-acp',
  name: 'Scripted',
  command: serviceNode,
  args: [path.join(root, 'test/fixtures/acp/agent.ts')],
  reads: [root],
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
      ...{ family: 'acp', configured: false, healthy: false },
      install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    })
    expect(described('scripted-acp')).toMatchObject(
      isOffline
        ? { family: 'acp', configured: false, health: { message: expect.stringContaining('no programs') } }
        : { family: 'acp', configured: true, healthy: true, version: '1.2.3' },
    )

    expect(described('scripted-command')).toMatchObject(
      isOffline
        ? {
            family: 'command',
            configured: false,
            health: { message: expect.stringContaining('no programs') },
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
})
