import type { ApiGroup } from '../api-group.ts';
import { mutatingAdmissionPolicyBinding } from './mutating-admission-policy-binding/mutating-admission-policy-binding.ts';
import { mutatingAdmissionPolicy } from './mutating-admission-policy/mutating-admission-policy.ts';
import { mutatingWebhookConfiguration } from './mutating-webhook-configuration/mutating-webhook-configuration.ts';
import { validatingAdmissionPolicyBinding } from './validating-admission-policy-binding/validating-admission-policy-binding.ts';
import { validatingAdmissionPolicy } from './validating-admission-policy/validating-admission-policy.ts';
import { validatingWebhookConfiguration } from './validating-webhook-configuration/validating-webhook-configuration.ts';

export const admissionregistrationGroup: ApiGroup = {
  name: 'admissionregistration.k8s.io',
  priority: 16700,
  versionPriorities: { v1beta1: 12, v1alpha1: 9 },
  resources: [
    mutatingAdmissionPolicy,
    mutatingAdmissionPolicyBinding,
    mutatingWebhookConfiguration,
    validatingAdmissionPolicy,
    validatingAdmissionPolicyBinding,
    validatingWebhookConfiguration,
  ],
};
