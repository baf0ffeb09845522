import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Workbench } from '../../fakes/workbench.ts'

const git = ['-c', 'user.name=x', '-c', 'user.email=x@y', '-C']

/** A repository on loopback's disk: a branch, with what a script puts into it. */
export const makeSource = (bench: Workbench, script: string, branch = 'main'): string => {
  const source = join(bench.folder, 'source')
  mkdirSync(source)
  execFileSync('git', [...git, source, 'init', '-q', '-b', branch])
  execFileSync('sh', ['-ec', script], { cwd: source })
  execFileSync('git', [...git, source, 'add', '-A'])
  execFileSync('git', [...git, source, 'commit', '-q', '--allow-empty', '-m', 'Start'])
  return source
}
