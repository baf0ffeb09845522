import { describe, expect, it } from '@jest/globals'
import { startApi } from '../fakes/caller.ts'

const NAUGHTY = [
  'null',
  'undefined',
  '__proto__',
  'constructor',
  "'; DROP TABLE tasks; --",
  '<script>alert(1)</script>',
  '{{7*7}} #{7*7} <%= 7*7 %> %s %n %00',
  '../../etc/passwd\\..\\',
  'a\u0000b\u0001\u001f\u007f',
  'line\nfeed\r\n\ttab\u2028\u2029',
  'zero\u200bwidth\ufeff and bidi \u202eesrever',
  'Ω≈ç√ ÅÍÎ ＡＢＣ ﬀ ß ẞ İı Σς',
  'e\u0301 is not é',
  '田中さんにあげて下さい 사회과학원 الْعَرَبِيَّة עִבְרִית',
  '👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 𝕬𝖇𝖈',
  '0x7fffffff 1e309 -0 NaN Infinity',
  '"quoted" \\ `ticks` $(id) | & ;',
  'Z̮̞̠͙͔ͅḀ̗̞͈̻̗Ḷ͙͎̯̹̞͓G̻O̭̗̮',
]

describe('any text', () => {
  it.each(NAUGHTY)('comes back as it was from every field and every reader (%j)', async (text) => {
    const { call } = await startApi()
    const given = {
      title: `(${text})`,
      description: text,
      prompt: text,
      sourceId: text,
      repository: text,
      labels: [`(${text})`],
      metadata: { value: text, [`key ${text}`]: [text] },
    }
    const created = await call('POST /api/tasks', { body: given })
    expect({ status: created.status, task: created.body.task }).toMatchObject({ status: 201, task: given })

    const { task } = (await call(`GET /api/tasks/${created.body.task.id}`)).body
    expect(task).toEqual(created.body.task)
    expect((await call('GET /api/tasks?full=true')).body.tasks).toEqual([task])
    expect((await call('GET /api/tasks/export')).body.tasks).toEqual([task])
  })

  it.each(NAUGHTY.filter((text) => text.isWellFormed()))(
    'is found by itself, in any case (%j)',
    async (text) => {
      const { call } = await startApi()
      await call('POST /api/tasks', { body: { title: 'x', prompt: `before ${text} after` } })
      await call('POST /api/tasks', { body: { title: 'y' } })

      for (const q of [text, text.toUpperCase(), text.toLowerCase()]) {
        const { body } = await call(`GET /api/tasks/filter?q=${encodeURIComponent(q)}`)
        expect({ q, total: body.total }).toEqual({ q, total: 1 })
      }
    },
  )
})
