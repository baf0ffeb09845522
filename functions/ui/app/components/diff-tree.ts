import type { FileDiff } from '../../../../lib/core/diff-files.ts'

type Counts = { readonly added: number; readonly removed: number }

/** `at` is the index of the file in the diff. */
type File = Counts & {
  readonly name: string
  readonly path: string
  readonly isBinary?: true | undefined
  readonly at: number
}

/** A folder with the totals of its files. A folder whose only content is one folder is merged with it. */
export type Folder = Counts & {
  readonly name: string
  readonly folders: readonly Folder[]
  readonly files: readonly File[]
}

type Placed = { names: readonly string[]; file: FileDiff; at: number }

export const buildFileTree = (files: readonly FileDiff[]): Folder =>
  buildFolder(
    '',
    files.map((file, at) => ({ names: file.path.split('/'), file, at })),
  )

const buildFolder = (name: string, all: readonly Placed[]): Folder => {
  const inside = Map.groupBy(
    all.filter(({ names }) => names.length > 1),
    ({ names }) => names[0] ?? '',
  )
  const folders = [...inside]
    .map(([own, placed]) =>
      joined(
        buildFolder(
          own,
          placed.map((one) => ({ ...one, names: one.names.slice(1) })),
        ),
      ),
    )
    .toSorted(byName)
  const files = all
    .filter(({ names }) => names.length === 1)
    .map(({ names: [own = ''], file: { path, isBinary, added, removed }, at }) => ({
      name: own,
      path,
      at,
      ...(isBinary && { isBinary }),
      added,
      removed,
    }))
    .toSorted(byName)
  return { name, folders, files, ...sumCounts([...folders, ...files]) }
}

const joined = (folder: Folder): Folder => {
  const [only, ...others] = folder.folders
  if (only === undefined || others.length > 0 || folder.files.length > 0) return folder
  return { ...only, name: `${folder.name}/${only.name}` }
}

const sumCounts = (all: readonly Counts[]): Counts => ({
  added: all.reduce((sum, { added }) => sum + added, 0),
  removed: all.reduce((sum, { removed }) => sum + removed, 0),
})

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)
