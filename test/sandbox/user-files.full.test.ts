import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { asRoot, end, FIRST, openBench, openProgram, shell, uidIn } from './user-programs.ts'

asRoot('the users of programs', () => {
  it('have no files of a service before, where a workspace gets one of them', async () => {
    const left = join(tmpdir(), `before-${process.pid}`)
    for (const name of ['one', 'two']) {
      const bench = await openBench()
      // The start has cleared the first user by a program of its own.
      await bench.workspaces.create('other')
      const workspace = await bench.workspaces.create(name)
      expect(await shell(workspace, `id -u; cat ${left}; echo secret > ${left}`)).toMatch(
        new RegExp(`^${FIRST + 2}\n.*No such file`),
      )
      await bench[Symbol.asyncDispose]()
    }
    await rm(left)
  })

  it('leave no file of a removed workspace in the folders of the system that all users may write to', async () => {
    await using bench = await openBench(FIRST + 1, { sharedFolders: undefined })
    const places = ['/tmp', '/var/tmp', '/dev/shm'].map((folder) => join(folder, `shared-${process.pid}`))
    await shell(await bench.workspaces.create('one'), `touch ${places.join(' ')}`)
    expect(places.filter(existsSync)).toEqual(places)
    await bench.workspaces.remove('one')
    expect(places.filter(existsSync)).toEqual([])
  })

  it('are taken from none that runs a program: the workspace is refused', async () => {
    await using bench = await openBench()
    const programs = []
    for (const name of ['one', 'two'])
      programs.push(await openProgram(bench, await bench.workspaces.create(name), 'sleep 60'))
    await expect(bench.workspaces.create('three')).rejects.toMatchObject({ code: 'users_exhausted' })
    await Promise.all(programs.map(end))
    expect(await uidIn(await bench.workspaces.create('three'))).toBe(FIRST + 1)
  })
})
