import { describe, expect, it } from '@jest/globals'
import { createProcessInfo } from '../../lib/adapters/node/process-info.ts'

describe('the process seen from inside', () => {
  it('reads figures that can be true', () => {
    const info = createProcessInfo()
    expect(info.nodeVersion).toMatch(/^v\d+\./)
    const { memory, residentBytes, heapUsedBytes, uptimeSeconds, cpuSeconds, loadAverage } = info.read()
    expect(memory.used).toBeGreaterThan(0)
    expect(memory.used).toBeLessThanOrEqual(memory.total)
    expect(heapUsedBytes).toBeLessThan(residentBytes)
    expect(uptimeSeconds).toBeGreaterThan(0)
    expect(cpuSeconds).toBeGreaterThan(0)
    expect(loadAverage).toHaveLength(3)
  })

  it('measures anew with every reading', () => {
    const info = createProcessInfo()
    expect(info.read().uptimeSeconds).toBeLessThan(info.read().uptimeSeconds)
  })
})
