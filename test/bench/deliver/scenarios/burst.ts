import { measure } from '../measure.ts';
import { kilobyte, type Scenario, type ScenarioOptions } from '../scenario.ts';

/** Large bodies are sent less often: this many bytes fit into the memory and the disk of a small machine. */
const mostBytes = 250e6;

/** At full speed: each connection sends its next webhook when the last one is answered. */
export function burst(options: ScenarioOptions & { bytes?: number }): Scenario {
  const { connections, bytes = kilobyte } = options;
  const events = Math.min(options.events, mostBytes / bytes);
  return {
    bare: { connections, bytes },
    warm: true,
    async run(stage) {
      const targets = [await stage.account()];
      const figures = await measure(stage, { targets, events, rate: 0, connections, bytes });
      const scenario = `burst of ${events}${options.bytes === undefined ? '' : `, ${bytes / kilobyte} KB each`}`;
      return [{ scenario, figures }];
    },
  };
}
