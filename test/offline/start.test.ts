import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from '@jest/globals'
import { hasDynoxide } from '../../offline/emulators.ts'
import { connect } from '../journeys/client.ts'
import { moodyTask, moodyWorld } from '../journeys/moody.ts'
import { type Environment, launchService, startService, temporaryFolder } from '../journeys/service.ts'
import { listenedOn, processTree } from './processes.ts'
import { describeOffline } from './suite.ts'

const AGENTS = ['coding-agent', 'claude-code', 'codex', 'opencode', 'moody']

const LOOPBACK = '0100007F'

/** One line that says why, on stderr, and nothing else. */
const expectRefusal = async (env: Environment, why: RegExp) => {
  await using service = launchService({ env })
  const { code, stdout, stderr } = await service.exited
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr).toMatch(why)
}

describeOffline('npm run offline', () => {
  it('runs where PORT says, on loopback only, with the agents of AGENT_ADAPTERS', async () => {
    using world = moodyWorld()
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const env: Environment = { ...world.env, PORT: String(port) }
    await expectRefusal(env, new RegExp(`^Cannot start: port ${port} is in use.*PORT`))
    other.close()
    await using service = await startService({ env })
    expect(service.baseUrl).toBe(`http://127.0.0.1:${port}`)
    const addresses = listenedOn(processTree(service.pid))
    expect(addresses.length).toBeGreaterThan(3)
    expect(new Set(addresses)).toEqual(new Set([LOOPBACK]))
    const { client, perform } = connect(service.baseUrl)
    expect((await client.listAgentTypes()).types).toEqual(AGENTS)
    // The functions that describe agents know the longest attempt of the worker's function.
    const limits = (await client.listAgents()).agents.map(({ timeoutMs }) => timeoutMs)
    expect(limits).toEqual(AGENTS.map((type) => (type === 'moody' ? 300_000 : 840_000)))
    expect(await perform(moodyTask('mine'))).toMatchObject({ agent: 'moody', status: 'completed' })
    expect(service.output()).toContain(
      hasDynoxide() ? 'DynamoDB (dynoxide)' : 'warning dynoxide is not installed',
    )
    // Nobody sees what serverless-offline has to say while all goes well.
    expect(service.output()).not.toMatch(/HEAD|λ|offline\.|Server ready/)

    await expectRefusal({ ...env, PORT: '0' }, /^Cannot start: The data folder .*in use by another process/)
    await using neighbour = await startService({ env: { ...env, DATA_DIR: `${env.DATA_DIR}-2`, PORT: '0' } })
    expect((await connect(neighbour.baseUrl).client.listTasks()).total).toBe(0)
    expect((await client.listTasks()).total).toBe(1)
  })

  it('says in one line why it does not start', async () => {
    using folder = temporaryFolder()
    const env = { DATA_DIR: folder.in('data') }
    await expectRefusal({ ...env, HOST: '0.0.0.0' }, /HOST: .*loopback/)
    await expectRefusal({ ...env, AGENT_ADAPTERS: 'test/fixtures/agents/missing.ts' }, /AGENT_ADAPTERS: /)
    await expectRefusal({ ...env, POOL_TIMEOUT_MS: '900000' }, /POOL_TIMEOUT_MS: /)
    await expectRefusal({ ...env, DEFAULT_PROVIDER: 'openai' }, /DEFAULT_PROVIDER: /)
    writeFileSync(folder.in('file'), '')
    await expectRefusal({ DATA_DIR: folder.in('file') }, /file\/offline cannot be written.*DATA_DIR/)
  })
})
