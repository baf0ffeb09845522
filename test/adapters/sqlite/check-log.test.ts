import { existsSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import { checkLog } from '../../../lib/adapters/sqlite/check-log.ts'
import { writeCount } from '../../../lib/adapters/sqlite/file-record.ts'
import { withChild } from './child.ts'
import { inFile } from './samples.ts'

it('The check of a log waits for a program that has the data file to itself for a moment', () =>
  inFile((file) =>
    withChild('hold-file.ts', [file, '1000'], async ({ said }) => {
      expect(await said()).toBe('held')
      expect(existsSync(`${file}-wal`)).toBe(true)
      writeCount(file, 0)
      expect(checkLog(file, false)).toBeUndefined()
    }),
  ))
