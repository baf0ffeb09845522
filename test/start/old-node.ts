import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as path from 'node:path'

const LEAST = 24

const majorVersion = (node: string): number => {
  try {
    return Number(/^v(\d+)\./.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[1] ?? LEAST)
  } catch {
    return LEAST
  }
}

/** A Node of this machine that is too old for the service; undefined where there is none. */
export const oldNode = (): string | undefined =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'node'))
    .find((node) => existsSync(node) && majorVersion(node) < LEAST)
