import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOffline } from '../journeys/service.ts'
import { blocks } from './readme.ts'

/** A command of the README as it stands, and the answer shown under it: its status, and pieces between `…`. */
export type Command = { text: string; status: number | undefined; shown: string }

export type Answer = { status: number; body: string }

/** The services of the README: the one that is first started, and one with accounts. */
export const README_URLS = ['http://127.0.0.1:3000', 'http://127.0.0.1:3001'] as const

/** The commands of every block that calls the service. Lines that begin with `# ` are the answer to what is above. */
export const commandsOfReadme = (): Command[] =>
  blocks('sh')
    .filter((block) => block.includes('curl '))
    .flatMap((block) => [...block.matchAll(/((?:^(?!#).*\n)+?)(?<!\\\n)((?:^# .*\n)*)/gm)])
    .map(([, text = '', answer = '']) => parseCommand(text.trim(), answer.replaceAll(/^# |\n/gm, '')))

const parseCommand = (text: string, answer: string): Command => {
  const [, status, shown = ''] = /^(?:(\d{3}) )?(.*)$/.exec(answer) ?? []
  return { text, status: status === undefined ? undefined : Number(status), shown: ofMode(shown) }
}

/** What an answer shows of `npm start` that `npm run offline` has otherwise. */
const ofMode = (shown: string): string =>
  isOffline ? shown.replace('"mode":"memory"', '"mode":"sqs"') : shown

/** Whether the pieces that are shown stand in the answer, in their order. */
export const shows = (shown: string, answer: string): boolean => {
  let at = 0
  return shown.split('…').every((piece) => {
    const found = answer.indexOf(piece, at)
    at = found + piece.length
    return found >= 0
  })
}

/** Whether a command was answered as the README shows: where it shows no status, any success will do. */
export const isAsShown = ({ status, shown }: Command, answer: Answer): boolean =>
  (status === undefined ? Math.floor(answer.status / 100) === 2 : answer.status === status) &&
  shows(shown, answer.body)

/** Keeps what curl was answered, whatever the command makes of it, and the variables for the commands that follow. */
const commandScript = (command: string) => `
curl() { command curl --output body --write-out '%{http_code}' "$@" > status && cat body; }
[ ! -f variables ] || . ./variables
set -a
${command}
export -p > variables
`

/** Runs a command in `folder` as a reader would, but for the address; answers what came from the service. */
export const runCommand = ({ text }: Command, folder: string, baseUrls: readonly string[]): Answer => {
  const script = commandScript(
    README_URLS.reduce((all, url, n) => all.replaceAll(url, baseUrls[n] ?? url), text),
  )
  execFileSync('sh', ['-c', script], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { status: Number(read('status')), body: read('body').replaceAll(/\r?\n/g, '') }
}
