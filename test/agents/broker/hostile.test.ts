import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { openBrokeredRun } from '../../../lib/adapters/agents/broker/run.ts'
import { createCommandAgent } from '../../../lib/adapters/agents/command/agent.ts'
import type { CommandProgram } from '../../../lib/adapters/agents/command/catalog.ts'
import { searchProgram } from '../../../lib/adapters/agents/programs.ts'
import { openAgentProxy } from '../../../lib/adapters/node/agent-proxy.ts'
import { readAllowed } from '../../../lib/adapters/node/outbound-address.ts'
import { createRepositories } from '../../../lib/adapters/node/repositories.ts'
import type { AgentContext, AgentResult } from '../../../lib/ports/agent.ts'
import { task } from '../../fakes/coding-agent.ts'
import { openScriptedProvider, PROVIDER_KEY } from '../../fakes/scripted-provider.ts'
import { createWorkbench } from '../../fakes/workbench.ts'

const CONTROL = 'control-c0ffee-0123456789'
const root = path.resolve(import.meta.dirname, '../../..')
const fixture = path.join(root, 'test/fixtures/command/search.cjs')

const openProxy = async (refused: string[]) => {
  const proxy = await openAgentProxy({
    allowed: readAllowed([]),
    resolve: async () => ['127.0.0.1'],
    hosts: ['registry.example.org'],
    onRefusal: (host) => void refused.push(host),
    service: { publicHost: undefined, port: () => undefined },
  })
  return { path: proxy.path, [Symbol.asyncDispose]: proxy.close }
}

/** Processes and files as a service has them, all with the key. */
const plantKey = (folder: string) => {
  writeFileSync(path.join(folder, 'encryption.key'), PROVIDER_KEY)
  writeFileSync(path.join(folder, '.env'), `ANTHROPIC_API_KEY=${PROVIDER_KEY}\n`)
  const env = { ...process.env, ANTHROPIC_API_KEY: PROVIDER_KEY }
  // One process, whose arguments have the key for as long as it lives: a shell would leave its child behind, or exec without them.
  const waiting = ['-e', 'setInterval(() => undefined, 300_000)', PROVIDER_KEY]
  const service = spawn(process.execPath, waiting, { env, stdio: 'ignore' })
  return { [Symbol.dispose]: () => void service.kill('SIGKILL') }
}

describe('a program that looks for the key of the operator', () => {
  it('finds it in no environment, process, memory or file, and reaches no provider but by its own token', async () => {
    const refused: string[] = []
    await using proxy = await openProxy(refused)
    await using bench = await createWorkbench({ sandboxed: true, proxySocket: proxy.path })
    expect(bench.found).toHaveProperty('sandbox')
    await using models = await openScriptedProvider((_, response) => void response.end('{}'), {
      isSandboxed: true,
    })
    using _planted = plantKey(bench.folder)
    const brokered = await models.brokered()
    const other = await openBrokeredRun(brokered)
    const stale = await openBrokeredRun(brokered)
    await stale.close()

    const { port } = models.server.address() as AddressInfo
    const machine = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
    const given = {
      key: PROVIDER_KEY,
      control: CONTROL,
      otherToken: other.token,
      staleToken: stale.token,
      addresses: [
        ['127.0.0.1', port],
        ['1.1.1.1', 443],
        ...machine.filter(({ internal }) => !internal).map(({ address }) => [address, port]),
      ],
      targets: [`127.0.0.1:${port}`, 'api.anthropic.com:443', '1.1.1.1:443'],
      // The search itself. Packages, which the sandbox shows beside the program of Node, it skips too.
      skipped: [path.dirname(fixture)],
    }
    const script = [fixture, Buffer.from(JSON.stringify(given)).toString('hex')]
    const described: CommandProgram = {
      type: 'hostile',
      name: 'Hostile',
      command: process.execPath,
      args: script,
      parse: 'text',
      providers: ['anthropic'],
      reads: [fixture],
      env: { CONTROL },
    }
    const agent = createCommandAgent(described, {
      ...bench,
      brokered: models.brokered,
      search: searchProgram(described.command, { PATH: '', privateFolders: [] }),
      repositories: createRepositories({ clock: bench.clock, allow: [], roots: [] }),
      isLocalAdmin: () => true,
    })
    const context: AgentContext = {
      signal: new AbortController().signal,
      attempt: 1,
      workspace: 'hostile-1',
      progress: () => undefined,
      keepSecret: () => undefined,
      observe: () => undefined,
      spent: () => undefined,
      waitFor: (_, work) => work(),
      run: () => Promise.reject(new Error('not here')),
    }
    const { output } = (await agent.execute(task({ id: 'hostile', title: 'Search' }), context)) as AgentResult
    expect(JSON.parse(output)).toEqual({
      key: { environment: false, processes: false, memory: false, files: [] },
      // It is able to find what is there; systems differ in whether it may read the memory of its own processes.
      control: { environment: true, processes: true, memory: expect.any(Boolean), files: ['kept'] },
      calls: { own: 200, none: 401, other: 401, stale: 401, bearer: 401 },
      direct: given.addresses.map(() => 'no connection'),
      tunnels: ['403', '403', '403'],
      sockets: ['bridge-3128.sock', 'bridge-3129.sock'],
    })
    expect(refused).toEqual(['127.0.0.1', 'api.anthropic.com', '1.1.1.1'])
    await other.close()
  })
})
