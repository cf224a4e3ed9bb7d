import type { DataKeyObserver } from '../../storage/encryption/kms/data-key-observer.ts';
import { exponentialBounds, HistogramSeries } from './histogram-series.ts';
import type { MetricFamily } from './metric-family.ts';

/** 5 µs to 41 ms. */
const generationBounds = exponentialBounds(5e-6, 2, 14);

/** Data keys of values and their cache, where a key service encrypts stored objects. */
export class DataKeySeries implements DataKeyObserver {
  private readonly generation = new HistogramSeries({}, generationBounds);
  private failures = 0;
  private misses = 0;
  private share = 0;

  generated(seconds: number): void {
    this.generation.observe(seconds);
  }

  generationFailed(): void {
    this.failures++;
  }

  missed(): void {
    this.misses++;
  }

  filled(share: number): void {
    this.share = share;
  }

  families(): readonly MetricFamily[] {
    return [
      {
        name: 'apiserver_storage_data_key_generation_duration_seconds',
        type: 'histogram',
        help: 'Time to make the key of a value that is stored.',
        series: () => [this.generation],
      },
      {
        name: 'apiserver_storage_data_key_generation_failures_total',
        type: 'counter',
        help: 'Keys of values that could not be made.',
        samples: () => [{ labels: {}, value: this.failures }],
      },
      {
        name: 'apiserver_storage_envelope_transformation_cache_misses_total',
        type: 'counter',
        help: 'Keys of values that the key service had to open.',
        samples: () => [{ labels: {}, value: this.misses }],
      },
      {
        name: 'apiserver_envelope_encryption_dek_cache_fill_percent',
        type: 'gauge',
        help: 'Share of the room for opened keys that is taken, 0 to 1.',
        samples: () => [{ labels: {}, value: this.share }],
      },
    ];
  }
}
