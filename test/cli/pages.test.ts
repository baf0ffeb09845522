import { describe, expect, it } from '@jest/globals'
import { parseCommandLine } from '../../lib/cli/command.ts'
import { commands } from '../../lib/cli/main.ts'
import { blocks, tableRows } from '../readme/readme.ts'

/** The words of a line as a shell has them: these pages quote with double quotes only. */
const shellWords = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')

const lines = blocks('sh')
  .flatMap((block) => block.split('\n'))
  .filter((line) => line.startsWith('npx agent-tasks '))

describe('the pages', () => {
  it('list every command of agent-tasks', () => {
    expect(tableRows('command of agent-tasks').map(([name]) => name)).toEqual(
      commands.map(({ name }) => name),
    )
  })

  it.each(lines)('show a command line that is taken: %s', (line) => {
    // What follows a pipe is another program, what follows > a file.
    const [, , name, ...args] = shellWords(line.split(/ [|>]/)[0] ?? '')
    const command = commands.find((each) => each.name === name)
    expect(command && parseCommandLine(command, args)).toBeDefined()
  })
})
