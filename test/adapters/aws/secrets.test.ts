import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { openSsm } from '../../../lib/adapters/aws/clients.ts'
import { listSecrets, readSecrets } from '../../../lib/adapters/aws/secrets.ts'
import { CREDENTIALS, REGION } from '../../../offline/emulators.ts'
import { startSsm } from './ssm.ts'

const PATH = '/service/prod'
const PAGES = [
  [{ Name: `${PATH}/ANTHROPIC_API_KEY`, Value: 'one' }],
  [{ Name: `${PATH}/OPENAI_API_KEY`, Value: 'two' }],
]

let ssm: Awaited<ReturnType<typeof startSsm>>
beforeEach(async () => {
  ssm = await startSsm(PAGES)
})
afterEach(() => ssm.stop())

const open = () => openSsm({ region: REGION, endpoint: ssm.endpoint, credentials: CREDENTIALS })

describe('secrets below a path of SSM', () => {
  it('are read decrypted, page by page, under the last part of their names', async () => {
    expect(await readSecrets(await open(), PATH)).toEqual({ ANTHROPIC_API_KEY: 'one', OPENAI_API_KEY: 'two' })
    const ask = { action: 'GetParametersByPath', Path: PATH, WithDecryption: true }
    expect(ssm.asked).toEqual([ask, { ...ask, NextToken: '1' }])
  })

  it('are listed by name, without asking for any value', async () => {
    expect(await listSecrets(await open(), PATH)).toEqual(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'])
    const ask = {
      action: 'DescribeParameters',
      ParameterFilters: [{ Key: 'Path', Option: 'OneLevel', Values: [PATH] }],
    }
    expect(ssm.asked).toEqual([ask, { ...ask, NextToken: '1' }])
  })
})
