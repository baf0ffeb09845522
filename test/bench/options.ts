import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repository } from './paths.ts'

export const MEASURES = ['e2e', 'get', 'page', 'scale', 'search', 'memory', 'start'] as const
export type MeasureName = (typeof MEASURES)[number]

/** `tasks`: in the large store of `scale`. `entry`: the program under test. */
export type Options = { only: readonly MeasureName[]; rounds: number; tasks: number; entry: string }

/** Reads the command line; throws an Error that names what is wrong with it. */
export const readOptions = (args: string[]): Options => {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: MEASURES.join(',') },
      rounds: { type: 'string', default: '5' },
      tasks: { type: 'string', default: '1000000' },
      entry: { type: 'string', default: join(repository, 'bin/start.js') },
    },
  })
  return {
    only: values.only.split(',').map(measureName),
    rounds: between('rounds', values.rounds, 1, 50),
    tasks: between('tasks', values.tasks, 1_000, 10_000_000),
    entry: values.entry,
  }
}

const measureName = (name: string): MeasureName => {
  const found = MEASURES.find((measure) => measure === name)
  if (found) return found
  throw new Error(`--only: ${name} is none of ${MEASURES.join(', ')}`)
}

const between = (name: string, text: string, least: number, most: number): number => {
  const value = Number(text)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new Error(`--${name}: ${text} is no whole number from ${least} to ${most}`)
}
