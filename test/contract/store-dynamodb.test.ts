import { expect, it } from '@jest/globals'
import { hasDynoxide, startDynoxide } from '../../offline/emulators.ts'
import { contractOn } from './dynamodb-contract.ts'

if (hasDynoxide()) contractOn('dynoxide', startDynoxide)
else {
  console.error('dynoxide is not installed for this machine: the store is tested on SQLite only')
  it('finds dynoxide in CI', () => expect(process.env.CI).toBeUndefined())
}

const { DYNAMODB_ENDPOINT } = process.env
if (DYNAMODB_ENDPOINT)
  contractOn('DYNAMODB_ENDPOINT', async () => ({ endpoint: DYNAMODB_ENDPOINT, stop: async () => undefined }))
