import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { changesIn } from '../../../lib/adapters/agents/repository/changes.ts'
import { createCheckout } from '../../../lib/adapters/agents/repository/checkout.ts'
import { never, type Workbench } from '../../fakes/workbench.ts'

type Odd = {
  title: string
  /** Whether it is read in the quick tier, too. */
  isCommon?: true
  /** What a program of the agent does in the workspace, in which it has changed `kept.txt`. */
  script: string
  /** Changed paths besides. */
  changed?: readonly string[]
  leftOut?: readonly (readonly [path: string, reason: string])[]
}

const AT_ONCE = 4

const commit = 'git -c user.name=x -c user.email=x@y commit -q'
/** Python writes names as bytes. */
const python = (code: string) => `python3 -c '${code}'`

export const oddWorkspaces: readonly Odd[] = [
  { title: 'nothing odd', script: 'true' },
  {
    title: 'a repository without a commit',
    script: 'git init -q sub; echo x > sub/x',
    leftOut: [['sub', 'repository']],
  },
  {
    title: 'a repository with a commit',
    isCommon: true,
    script: `git init -q sub; cd sub; echo x > x; git add x; ${commit} -m x`,
    leftOut: [['sub', 'repository']],
  },
  {
    title: 'a repository in a repository',
    script: 'mkdir -p a/b; git init -q a; git init -q a/b; mkfifo a/pipe; touch a/b/x',
    leftOut: [['a', 'repository']],
  },
  {
    title: 'a repository in a tracked folder',
    script: 'git init -q folder; echo x > folder/file.txt; echo y > folder/new.txt',
    changed: ['folder/file.txt', 'folder/new.txt'],
  },
  {
    title: 'a repository whose files are pipes',
    script:
      'git init -q sub; rm sub/.git/HEAD sub/.git/config; mkfifo sub/.git/HEAD sub/.git/config sub/.git/packed-refs',
    leftOut: [['sub', 'repository']],
  },
  {
    title: 'a .git that is a pipe',
    script: 'mkdir sub; touch sub/x; mkfifo sub/.git',
    leftOut: [['sub', 'repository']],
  },
  {
    title: 'a repository by a file',
    script: 'git init -q --separate-git-dir=ignored/elsewhere sub; touch sub/x',
    leftOut: [['sub', 'repository']],
  },
  {
    title: 'a repository whose name is no UTF-8',
    script: `${python('import os; os.mkdir(b"s\\xe9b")')}; cd s*b; git init -q .; touch x`,
    leftOut: [['s\uFFFDb', 'repository']],
  },
  {
    title: 'the repository of a submodule, whose settings run a program',
    script: `git init -q module; cd module; echo a > a.txt; git add a.txt; ${commit} -m x; git config core.fsmonitor "touch ../sprung"; git config filter.x.clean "touch ../sprung; cat"; echo "*.txt filter=x" > .gitattributes; echo b > a.txt`,
    leftOut: [['module', 'repository']],
  },
  { title: 'a file in place of a submodule', script: 'rm -rf module; echo x > module', changed: ['module'] },
  {
    title: 'a file that may not be read',
    isCommon: true,
    script: 'echo x > locked; chmod 000 locked folder/file.txt',
    leftOut: [
      ['folder/file.txt', 'unreadable'],
      ['locked', 'unreadable'],
    ],
  },
  {
    title: 'folders that may not be read, or not be entered',
    script: 'mkdir a b; touch a/x b/x; chmod 000 a folder; chmod 400 b',
    leftOut: [
      ['a', 'unreadable'],
      ['b', 'unreadable'],
      ['folder', 'unreadable'],
    ],
  },
  { title: 'a root without rights', script: 'chmod 000 .' },
  {
    title: 'settings of git that may not be read',
    script: 'echo "*" > .gitattributes; chmod 000 .gitattributes',
    leftOut: [['.gitattributes', 'unreadable']],
  },
  {
    title: 'pipes and sockets',
    isCommon: true,
    script: `mkfifo pipe; rm name.txt; mkfifo name.txt; ${python('import socket; socket.socket(socket.AF_UNIX).bind("socket")')}`,
    leftOut: [
      ['name.txt', 'special'],
      ['pipe', 'special'],
      ['socket', 'special'],
    ],
  },
  {
    title: 'pipes in the place of settings of git',
    script:
      'mkdir a; touch a/x; rm -f .gitignore; mkfifo .gitignore .gitattributes .gitmodules a/.gitattributes',
    changed: ['.gitignore', 'a/x'],
    leftOut: ['.gitattributes', '.gitignore', '.gitmodules', 'a/.gitattributes'].map(
      (path) => [path, 'special'] as const,
    ),
  },
  {
    title: 'folders in the place of settings of git',
    script: 'mkdir .gitattributes .gitmodules',
    changed: [],
  },
  {
    title: 'links that lead out, in a circle and nowhere',
    isCommon: true,
    script:
      'ln -s /etc/passwd out; ln -s loop loop; ln -s / root; ln -s none nowhere; ln -s /etc/passwd .gitattributes',
    changed: ['.gitattributes', 'loop', 'nowhere', 'out', 'root'],
  },
  {
    title: 'names that other file systems take for .git',
    script: `mkdir "git~1" .GIT ".git "; touch "git~1/config" .GIT/config ".git /config"; ${python('import os; os.mkdir(".g\\u200cit"); open(".g\\u200cit/config", "w")')}; ln -s x .gitmodules`,
    leftOut: [
      ['.GIT/config', 'name'],
      ['.git /config', 'name'],
      ['.gitmodules', 'name'],
      ['.g\u200Cit/config', 'name'],
      ['git~1/config', 'name'],
    ],
  },
  {
    title: 'names of any bytes',
    isCommon: true,
    script: python(
      'for name in [b"caf\\xe9", b"new\\nline", b"tab\\tquote\\"", b"-dash", b":(top)x", b"a\\\\b", b"*", b"n" * 255]: open(name, "w").write("x")',
    ),
    changed: ['*', '-dash', ':(top)x', 'a\\b', 'caf\uFFFD', 'new\nline', 'n'.repeat(255), 'tab\tquote"'],
  },
  {
    title: 'names of two cases',
    script: 'echo a > Name.txt; echo b > NAME.txt',
    changed: ['NAME.txt', 'Name.txt'],
  },
  {
    title: 'a path that is longer than the system allows',
    script: python('import os\nfor n in range(30): os.mkdir("d" * 200); os.chdir("d" * 200)\nopen("x", "w")'),
  },
  {
    title: 'a huge file',
    isCommon: true,
    script: 'truncate -s 1G sparse',
    leftOut: [['sparse', 'too_large']],
  },
  {
    title: 'a file in place of a folder, and a folder in place of a file',
    script: 'rm -r folder name.txt; echo x > folder; mkdir name.txt; echo x > name.txt/x',
    changed: ['folder', 'folder/file.txt', 'name.txt', 'name.txt/x'],
  },
  {
    title: 'attributes with an encoding that does not exist',
    script: 'echo "*.txt working-tree-encoding=none" > .gitattributes',
    changed: ['.gitattributes'],
  },
  {
    title: 'attributes with filters that are required',
    script:
      'echo "*.txt filter=x" > .gitattributes; git config filter.x.required true; git config filter.x.clean false',
    changed: ['.gitattributes'],
  },
  {
    title: 'odd entries that git ignores',
    script:
      'git init -q ignored/sub; mkfifo ignored/pipe; touch ignored/x; chmod 000 ignored/x; truncate -s 1G ignored/y',
  },
  { title: 'no repository', script: 'rm -rf .git' },
  { title: 'a link in place of the repository', script: 'mv .git ignored/git; ln -s ignored/git .git' },
  { title: 'a repository without objects', script: 'find .git/objects -type f -exec rm -f {} +' },
  {
    title: 'a repository of junk',
    script: 'echo junk > .git/HEAD; echo junk > .git/index; echo [ > .git/config; touch .git/index.lock',
  },
]

export const commonOddWorkspaces = oddWorkspaces.filter(({ isCommon }) => isCommon)

/** A repository with some files, and a submodule. */
const makeSource = (bench: Workbench): string => {
  const source = join(bench.folder, 'source')
  mkdirSync(join(source, 'folder'), { recursive: true })
  const script = `
    git init -q -b main .
    for path in kept.txt folder/file.txt name.txt; do echo one > $path; done
    echo ignored > .gitignore
    git add -A
    git update-index --add --cacheinfo 160000,1234567890123456789012345678901234567890,module
    ${commit} -m Start`
  execFileSync('sh', ['-ec', script], { cwd: source, env: { PATH: process.env.PATH, HOME: source } })
  return join(source, '.git')
}

/** The changes of each odd workspace, as a run reads them. */
export const readOddWorkspaces = async (bench: Workbench, odd: readonly Odd[]) => {
  const gitDir = makeSource(bench)
  const source = { transport: 'file', gitDir, reads: [gitDir], shown: 'source' } as const
  const readOne = async ({ title, script }: Odd, name: string) => {
    const workspace = await bench.workspaces.create(name)
    const wanted = { taskId: 'task_1', source, branch: undefined, signal: never }
    const { baseCommit } = await createCheckout(bench)(workspace, wanted)
    const setUp = `mkdir ignored; echo two >> kept.txt; ${script}`
    const { exitCode, stderr } = await workspace.run('sh', ['-ec', setUp], never)
    if (exitCode !== 0) throw new Error(`${script}: ${stderr}`)
    const {
      filesChanged,
      diff,
      leftOut = [],
    } = await changesIn(await workspace.tree(baseCommit, [], never), baseCommit)
    const isDiffWhole = diff.includes('+two\n')
    const paths = filesChanged.map(({ path }) => path).sort()
    const sprung = await workspace.list('.', 1_000).then(({ names }) => names.includes('sprung'))
    await bench.workspaces.remove(name)
    return { title, paths, isDiffWhole, sprung, leftOut: leftOut.map(({ path, reason }) => [path, reason]) }
  }
  // Some at a time: most of the time of one is that of the system, which opens and closes its sandboxes.
  const read: Awaited<ReturnType<typeof readOne>>[] = []
  const left = odd.entries()
  const readSome = async () => {
    for (const [at, one] of left) read[at] = await readOne(one, `odd-${at}`)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readSome))
  return read
}

/** The same by a service that is not root, without a sandbox. */
export const readWithoutRoot = async (list: 'oddWorkspaces' | 'commonOddWorkspaces'): Promise<Reads> => {
  const script = `
    import { ${list}, readOddWorkspaces } from './test/agents/coding/odd-workspaces.ts'
    import { createWorkbench } from './test/fakes/workbench.ts'
    const bench = await createWorkbench()
    console.log(JSON.stringify(await readOddWorkspaces(bench, ${list})))
    await bench[Symbol.asyncDispose]()`
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const options = ['--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, options, user)
  return JSON.parse(stdout)
}

type Reads = Awaited<ReturnType<typeof readOddWorkspaces>>

export const expectedReads = (odd: readonly Odd[]): Reads =>
  odd.map(({ title, changed = [], leftOut = [] }) => ({
    title,
    paths: [...changed, 'kept.txt'].sort(),
    isDiffWhole: true,
    sprung: false,
    leftOut: leftOut.map(([path, reason]) => [path, reason]),
  }))
