import { describe, expect, it } from '@jest/globals'
import { dataLine } from '../../offline/data-folder.ts'
import { hasDynoxide, startDynalite, startDynamoDb } from '../../offline/emulators.ts'

describe('the emulator of DynamoDB that npm run offline stands on', () => {
  it('is dynoxide where that is installed, and says which it is', async () => {
    for (const [start, name] of [
      [startDynamoDb, hasDynoxide() ? 'dynoxide' : 'dynalite'],
      [startDynalite, 'dynalite'],
    ] as const) {
      const emulator = await start()
      expect(emulator.name).toBe(name)
      await emulator.stop()
    }
  })

  it('is named in one line with the data', () => {
    expect(dataLine('/data', { database: 'dynoxide' })).toBe(
      '/data, emulators of DynamoDB (dynoxide), SQS and S3',
    )
  })

  it('is warned of in one line more where it is not the better one', () => {
    const [data, warning, ...more] = dataLine('/data', { database: 'dynalite' }).split('\n')
    expect(data).toBe('/data, emulators of DynamoDB (dynalite), SQS and S3')
    expect(warning).toMatch(/^ {2}warning dynoxide is not installed .* no transactions/)
    expect(more).toEqual([])
  })
})
