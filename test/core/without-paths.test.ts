import { describe, expect, it } from '@jest/globals'
import { withoutPaths, withShortPaths } from '../../lib/core/without-paths.ts'

describe('the paths in a message', () => {
  it.each([
    ['open /home/me/a.txt failed', 'open a.txt failed', 'open … failed'],
    ['in /home/me', 'in .', 'in …'],
    ['in /home/men/a.txt', 'in …/a.txt', 'in …'],
    ["open '/srv/my data/key.pem'", "open '…/key.pem'", 'open …'],
    ['at run (/opt/agent/cli.js:10:5)', 'at run (…/cli.js:10:5)', 'at run (…:10:5)'],
    ['at file:///home/you/agent/cli.js:10:5', 'at …/cli.js:10:5', 'at …:10:5'],
    ['from file:///home/me/src/a.ts', 'from src/a.ts', 'from …'],
    ['Error:/opt/agent/cli.js', 'Error:…/cli.js', 'Error:…'],
    ['cwd=/opt/agent/', 'cwd=…/agent/', 'cwd=…'],
    ['`/opt/agent/bin`', '`…/bin`', '…'],
    ['{"path":"/opt/agent/bin"}', '{"path":"…/bin"}', '{"path":…}'],
    ['Please run /login', 'Please run /login', 'Please run …'],
    // No paths of this machine.
    ...['see https://host/a/b', 'localhost:80/a/b', 'src/a/b.ts', './a/b', '~/a/b', 'a // b'].map(
      (text): [string, string, string] => [text, text, text],
    ),
  ])('%s: are relative, or go', (text, short, without) => {
    expect(withShortPaths(text, '/home/me')).toBe(short)
    expect(withoutPaths(text)).toBe(without)
  })
})
