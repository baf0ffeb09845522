import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { scratch, start } from './children.ts'
import { programPath } from './program.ts'

const SECONDS = 2
const CONNECTIONS = 32

/** A request generator for wrk that asks for each of `paths` in turn. */
export const pathsScript = (paths: readonly string[]): string => {
  const file = join(scratch('wrk'), 'paths.lua')
  writeFileSync(file, lua(paths))
  return file
}

const lua = (paths: readonly string[]) => `
local requests, at = {}, 0
function init()
  for _, path in ipairs({${paths.map((path) => JSON.stringify(path)).join(',')}}) do
    requests[#requests + 1] = wrk.format('GET', path)
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
`

/** Requests per second of a bounded burst by wrk, which is far cheaper per request than any server it drives. */
export const requestsPerS = async (port: number, script: string): Promise<number> => {
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-s', script, `http://127.0.0.1:${port}`]
  const child = start(programPath('wrk'), args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said = child.stdout ? await text(child.stdout) : ''
  const found = /Requests\/sec: *([\d.]+)/.exec(said)?.[1]
  if (found === undefined || /Non-2xx|Socket errors/.test(said)) throw new Error(`wrk: ${said}`)
  return Number(found)
}
