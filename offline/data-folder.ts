import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { tableDefinitions } from '../lib/adapters/aws/dynamodb/tables.ts'
import { lockDataDir } from '../lib/adapters/sqlite/lock.ts'
import { collections } from '../lib/collections.ts'
import type { Config } from '../lib/config/config.ts'
import { badSetting } from '../lib/core/bad-setting.ts'
import type { Database } from './emulators.ts'

/**
 * `DATA_DIR/offline`, locked for this process: beside the file of `npm start`. Throws a Problem when another process has
 * it, when it is not writable, and when its tables have an outdated form.
 */
export const openDataFolder = ({ DATA_DIR, TABLE_PREFIX }: Config) => {
  const folder = path.join(DATA_DIR, 'offline')
  const release = lockDataDir(folder)
  try {
    refuseOutdated(folder, TABLE_PREFIX)
    return { folder, release }
  } catch (thrown) {
    release()
    throw thrown
  }
}

const unordered = (name: string, value: unknown) =>
  name === 'NonKeyAttributes' ? (value as string[]).toSorted() : value

/** A table gets its indexes when it is created; without new ones, lists would fail or miss rows. */
const refuseOutdated = (folder: string, prefix: string): void => {
  const tables = tableDefinitions(collections, ({ name }) => name)
  const form = createHash('sha256').update(JSON.stringify(tables, unordered)).digest('hex')
  const file = path.join(folder, `${encodeURIComponent(prefix)}tables.sha256`)
  if (!existsSync(file)) writeFileSync(file, form)
  else if (readFileSync(file, 'utf8') !== form)
    throw badSetting(
      `DATA_DIR: the tables in ${folder} were made by another version of the service; remove that folder, or name another`,
    )
}

const WITHOUT_DYNOXIDE = `
  warning dynoxide is not installed for this machine: dynalite has no transactions, and sees nothing of what dynoxide kept`

/** The place of the data and its emulator, for the banner; each emulator of DynamoDB has its own file in the folder. */
export const dataLine = (folder: string, { database }: { database: Database['name'] }): string =>
  `${folder}, emulators of DynamoDB (${database}), SQS and S3${database === 'dynoxide' ? '' : WITHOUT_DYNOXIDE}`
