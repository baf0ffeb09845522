import type { Credential, RemoteSource } from './repositories.ts'

/**
 * The limits of a command: memory of all its processes, the number of processes and threads, and disk space in the
 * folders it writes to.
 */
export type CommandLimit = 'memory' | 'processes' | 'disk'

/** `exitCode` is null for a command that was stopped or killed by a signal; 127 means that the program does not exist. */
export type CommandResult = {
  exitCode: number | null
  stdout: string
  stderr: string
  /** Whether output was dropped. */
  truncated: boolean
  timedOut: boolean
  /** The exceeded limit, and a message that names its value and its setting. */
  exceeded?: { limit: CommandLimit; message: string }
}

export type WorkspaceFile = { text: string; bytes: number; truncated: boolean }
export type SearchHit = { path: string; line: number; text: string }
export type SearchRequest = {
  /** Searched for as plain text, never as a pattern. */
  query: string
  path: string
  /** Case-insensitive globs of files that are not searched. */
  except: readonly string[]
  most: number
  signal: AbortSignal
}

/**
 * The folder of one run. Paths are relative to `root`, or absolute inside it. Every verb resolves symlinks first. It
 * throws Problem `invalid` `path_outside` for a path that leads out of the folder, `path_missing` for a missing file, and
 * `path_unfit` for a file of the wrong kind (not a text file, or not a folder).
 */
export interface Workspace {
  /** Absolute and free of symlinks. */
  readonly root: string
  /** The home folder of commands: beside `root`, so that caches stay out of the diff. */
  readonly home: string
  /** The folder of temporary files, removed with the workspace. */
  readonly tmp: string
  /** The real path, relative to `root` with `/` between segments (`.` for the root); undefined when it is outside. */
  locate(path: string): Promise<string | undefined>
  /** Up to `most` names in a folder, sorted, and whether there are more; folders end in `/`, symlinks in `@`. */
  list(path: string, most: number): Promise<{ names: string[]; truncated: boolean }>
  read(path: string, mostBytes: number): Promise<WorkspaceFile>
  /** Writes the whole file and makes missing folders. */
  write(path: string, text: string): Promise<{ created: boolean }>
  /**
   * Writes a file that programs may read and that is no part of the changes, into a folder of its own, and resolves to its
   * path. A program that is running cannot turn it aside.
   */
  writeTemporary(name: string, text: string): Promise<string>
  search(request: SearchRequest): Promise<{ hits: SearchHit[]; truncated: boolean }>
  /** Runs a program for an agent. Rejects as `Commands` does. */
  run(file: string, args: readonly string[], signal: AbortSignal): Promise<CommandResult>
  /** Runs git, with arguments that an agent chose. */
  git(args: readonly string[], signal: AbortSignal): Promise<CommandResult>
  /**
   * Keeps the objects of the repository in the workspace for `tree`, which then reads nothing of its `.git`. Call it before
   * a program of the agent runs.
   */
  keepObjects(): Promise<void>
  /**
   * The files of the workspace as a tree on top of a commit, and git to read it. Settings, hooks, filters and indexes of
   * the workspace are not used; `.gitignore` and `.gitattributes` are. Files that `except` (pathspecs) names stay as the
   * commit has them. A file that git cannot take is left out. Throws Problem `unavailable` `workspace_failed` when there is
   * no tree, with a message that names no path of this machine.
   */
  tree(commit: string, except: readonly string[], signal: AbortSignal): Promise<WorkspaceTree>
  /** Applies a patch to the files of a workspace whose commit has this id. Resolves to whether it fits. */
  applyPatch(commit: string, patch: string, signal: AbortSignal): Promise<boolean>
}

/**
 * A file or folder that could not be read or published, and why: a git repository of its own; not readable; a pipe, socket
 * or device; larger than code hosts take; a name that git refuses.
 */
export type LeftOut = {
  path: string
  reason: 'repository' | 'unreadable' | 'special' | 'too_large' | 'name'
}

/** `leftOut` has the first 100 by path, and `leftOutCount` is the number of all. */
export type WorkspaceTree = {
  tree: string
  leftOut: LeftOut[]
  leftOutCount: number
  git: OwnGit
  /** Keeps the objects that `git` has made or fetched, for later trees of the workspace. */
  keep(): Promise<void>
}

/** `archive` is text, in a format of the adapter. */
export type PackedWorkspace = { archive: string; leftOut: readonly LeftOut[] }

/** The name of the workspace of one attempt of a task. */
export const workspaceName = (taskId: string, attempt: number): string => `${taskId}-${attempt}`
/** The task id in the name of a workspace; the name itself for a workspace of a conversation. */
export const taskOfWorkspace = (name: string): string => name.replace(/-\d+$/, '')

/**
 * Git with a git directory and home of the service, which programs of the agent cannot see. `host` and `credential` are
 * those of a push; `attributes` (gitattributes(5)) override those of the files.
 */
export type OwnGit = (
  args: readonly string[],
  maxBytes: number,
  options?: {
    host?: RemoteSource['host']
    credential?: Credential | undefined
    timeoutMs?: number
    attributes?: string
  },
) => Promise<CommandResult>

export interface Workspaces {
  /** An empty workspace of that name (letters, digits, `-`, `_`); the contents of an earlier one are removed. */
  create(name: string): Promise<Workspace>
  /** The workspace of that name with its contents; made when it does not exist. Restarts its time to live. */
  open(name: string): Promise<Workspace>
  /** Removes the workspace of that name with its contents. A missing one is no error. */
  remove(name: string): Promise<void>
  /**
   * The contents below the root: files, folders and links with their times. Credential files, the home and temporary files
   * are not part of it, and what cannot be read is left out. Throws Problem `too_large` `workspace_too_large`, whose message
   * names the limits.
   */
  pack(name: string, signal: AbortSignal): Promise<PackedWorkspace>
  /** Replaces the contents below the root by packed ones; undefined stands for an empty folder. */
  unpack(name: string, packed: string | undefined, signal: AbortSignal): Promise<void>
  /** The latest value that `mark` set for the workspace of that name; programs cannot see or change it. */
  marked(name: string): Promise<string | undefined>
  mark(name: string, mark: string | undefined): Promise<void>
}
